package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;

/// A storage without memory that fails at its nth call, before it has done anything, and works
/// again afterwards.
public final class FailingStorage implements Storage<Region> {
  /// How the call fails.
  public enum How {
    /// As a device without room.
    OUT_OF_MEMORY,
    /// As a device with another trouble.
    UNKNOWN,
    /// As a storage with a mistake in it.
    MISTAKE
  }

  private final CountingStorage storage = new CountingStorage();
  private final long failAt;
  private final How how;
  private long calls;
  private long keptByFailure;

  /// A storage whose call number `failAt`, from 1, fails.
  public FailingStorage(long failAt, How how) {
    this.failAt = failAt;
    this.how = how;
  }

  private void call() {
    if (++calls != failAt) return;
    throw switch (how) {
      case OUT_OF_MEMORY -> new MemoryException(new MemoryFailure.OutOfMemory(1));
      case UNKNOWN -> new MemoryException(new MemoryFailure.Unknown("trouble"));
      case MISTAKE -> new IllegalStateException("mistake");
    };
  }

  /// Whether the call that fails has been made.
  public boolean hasFailed() {
    return calls >= failAt;
  }

  /// The bytes that could not be given back because the call failed.
  public long keptByFailure() {
    return keptByFailure;
  }

  @Override
  public long alignment() {
    return storage.alignment();
  }

  @Override
  public StorageId allocate(long size) {
    call();
    return storage.allocate(size);
  }

  @Override
  public Region get(Region region) {
    call();
    return storage.get(region);
  }

  @Override
  public void deallocate(StorageId id) {
    long before = storage.bytesAllocated();
    if (calls + 1 == failAt) {
      storage.deallocate(id);
      keptByFailure = before - storage.bytesAllocated();
    }
    call();
    storage.deallocate(id);
  }

  @Override
  public void flush() {
    call();
    storage.flush();
  }

  @Override
  public long bytesAllocated() {
    return storage.bytesAllocated() + keptByFailure;
  }

  @Override
  public void close() {
    keptByFailure = 0;
    storage.close();
  }
}
