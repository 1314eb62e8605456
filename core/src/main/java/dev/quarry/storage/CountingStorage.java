package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/// A storage without memory behind it, for plans, replays and tests: it counts what a device would
/// be asked for. Its resource is the [Region] itself. Single-owner.
public final class CountingStorage implements Storage<Region> {
  private final long alignment;
  private final long capacity;
  private final Map<StorageId, Long> sizes = new HashMap<>();
  private long allocations;
  private long deallocations;
  private long flushes;
  private long bytes;
  private long bytesPeak;
  private boolean closed;

  /// A storage aligned to one byte that never runs out.
  public CountingStorage() {
    this(1, Long.MAX_VALUE);
  }

  /// A storage with this alignment that holds at most `capacity` bytes at once.
  public CountingStorage(long alignment, long capacity) {
    this.alignment = alignment;
    this.capacity = capacity;
  }

  @Override
  public long alignment() {
    return alignment;
  }

  @Override
  public StorageId allocate(long size) {
    if (closed) throw new MemoryException(new MemoryFailure.Unknown("the storage is closed"));
    if (size > capacity) throw new MemoryException(new MemoryFailure.BufferTooBig(size));
    if (size > capacity - bytes) throw new MemoryException(new MemoryFailure.OutOfMemory(size));
    StorageId id = new StorageId(allocations++);
    sizes.put(id, size);
    bytes += size;
    bytesPeak = Math.max(bytesPeak, bytes);
    return id;
  }

  @Override
  public Region get(Region region) {
    Long size = sizes.get(region.id());
    if (size == null) throw region.notFound();
    region.checkInside(size);
    return region;
  }

  @Override
  public void deallocate(StorageId id) {
    Long size = sizes.remove(id);
    if (size == null) return;
    bytes -= size;
    deallocations++;
  }

  @Override
  public void flush() {
    flushes++;
  }

  @Override
  public long bytesAllocated() {
    return bytes;
  }

  /// A queue whose commands do nothing, since there are no bytes.
  @Override
  public CommandQueue<Region> openQueue() {
    return new QueueOfNothing();
  }

  /// The allocations made so far.
  public long allocations() {
    return allocations;
  }

  /// The allocations given back so far.
  public long deallocations() {
    return deallocations;
  }

  /// The calls of [#flush] so far.
  public long flushes() {
    return flushes;
  }

  /// The most bytes held at once.
  public long bytesPeak() {
    return bytesPeak;
  }

  @Override
  public void close() {
    closed = true;
    sizes.clear();
    bytes = 0;
  }

  private static final class QueueOfNothing implements CommandQueue<Region> {
    @Override
    public boolean isSynchronous() {
      return true;
    }

    @Override
    public void write(MemorySegment source, Region target) {}

    @Override
    public void read(Region source, MemorySegment target) {}

    @Override
    public void copy(Region source, Region target) {}

    @Override
    public void fill(Region target, byte value) {}

    @Override
    public Fence fence() {
      return Fence.PASSED;
    }

    @Override
    public void waitFor(Fence fence) {}

    @Override
    public void close() {}
  }
}
