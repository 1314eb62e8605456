package dev.quarry.runtime;

import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// Host memory of which a test changes some answers.
class ForwardingStorage implements Storage<MemorySegment> {
  final Storage<MemorySegment> inner;

  ForwardingStorage(Storage<MemorySegment> inner) {
    this.inner = inner;
  }

  @Override
  public long alignment() {
    return inner.alignment();
  }

  @Override
  public StorageId allocate(long size) {
    return inner.allocate(size);
  }

  @Override
  public MemorySegment get(Region region) {
    return inner.get(region);
  }

  @Override
  public void deallocate(StorageId id) {
    inner.deallocate(id);
  }

  @Override
  public void flush() {
    inner.flush();
  }

  @Override
  public long bytesAllocated() {
    return inner.bytesAllocated();
  }

  @Override
  public CommandQueue<MemorySegment> openQueue() {
    return inner.openQueue();
  }

  @Override
  public Optional<Storage<MemorySegment>> openPinned() {
    return inner.openPinned();
  }

  @Override
  public void close() {
    inner.close();
  }
}
