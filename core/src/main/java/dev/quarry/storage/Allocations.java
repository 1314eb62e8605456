package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The books of a storage: which allocations it has, how large they are, and whether another is
/// within its limits. What every backend needs beside the calls of its driver.
///
/// Threads: single-owner, as the storage is.
///
/// @param <A> what stands behind an id
public final class Allocations<A> {
  private final long limit;
  private final long largest;
  private final Map<StorageId, Entry<A>> entries = new HashMap<>();
  private long added;
  private long bytes;
  private boolean closed;

  private record Entry<A>(long size, A allocation) {}

  /// No allocations yet.
  ///
  /// @param limit the most bytes allocated at once
  /// @param largest the most bytes of one allocation
  /// @throws IllegalArgumentException when a number is negative
  public Allocations(long limit, long largest) {
    if (limit < 0) throw new IllegalArgumentException("limit (" + limit + ") is negative");
    if (largest < 0) throw new IllegalArgumentException("largest (" + largest + ") is negative");
    this.limit = limit;
    this.largest = Math.min(limit, largest);
  }

  /// Checks that the storage may ask its driver for another `size` bytes.
  ///
  /// @throws MemoryException with [MemoryFailure.Unknown] after [#refuseMore],
  ///   [MemoryFailure.BufferTooBig] for more than the largest allocation or the limit, and
  ///   [MemoryFailure.OutOfMemory] for more than is left
  public void checkFits(long size) {
    if (closed) throw new MemoryException(new MemoryFailure.Unknown("the storage is closed"));
    if (size > largest) throw new MemoryException(new MemoryFailure.BufferTooBig(size));
    if (size > limit - bytes) throw new MemoryException(new MemoryFailure.OutOfMemory(size));
  }

  /// Enters what the driver gave.
  public StorageId add(long size, A allocation) {
    StorageId id = new StorageId(added++);
    entries.put(id, new Entry<>(size, allocation));
    bytes += size;
    return id;
  }

  /// The allocation that a region lies in.
  ///
  /// @throws MemoryException with [MemoryFailure.RegionNotFound] when there is none
  public A of(Region region) {
    Entry<A> entry = entries.get(region.id());
    if (entry == null) throw region.notFound();
    region.checkInside(entry.size);
    return entry.allocation;
  }

  /// The allocation of an id; null when there is none.
  public @Nullable A find(StorageId id) {
    Entry<A> entry = entries.get(id);
    return entry == null ? null : entry.allocation;
  }

  /// Strikes an allocation out. An unknown id is ignored.
  ///
  /// @return the allocation; null when there was none
  public @Nullable A remove(StorageId id) {
    Entry<A> entry = entries.remove(id);
    if (entry == null) return null;
    bytes -= entry.size;
    return entry.allocation;
  }

  /// The bytes of all allocations.
  public long bytes() {
    return bytes;
  }

  /// All allocations, in no order; later changes do not show.
  public Collection<A> all() {
    return entries.values().stream().map(Entry::allocation).toList();
  }

  /// Refuses whatever is asked from now on: the storage closes.
  public void refuseMore() {
    closed = true;
  }

  /// Strikes everything out.
  public void clear() {
    entries.clear();
    bytes = 0;
  }
}
