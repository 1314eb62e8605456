package dev.quarry.runtime;

import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;

/// One memory's view of the storage that all memories of a device share: everything but closing it.
final class SharedStorage<R> implements Storage<R> {
  private final Storage<R> shared;

  SharedStorage(Storage<R> shared) {
    this.shared = shared;
  }

  @Override
  public long alignment() {
    return shared.alignment();
  }

  @Override
  public StorageId allocate(long size) {
    return shared.allocate(size);
  }

  @Override
  public R get(Region region) {
    return shared.get(region);
  }

  @Override
  public void deallocate(StorageId id) {
    shared.deallocate(id);
  }

  @Override
  public void flush() {
    shared.flush();
  }

  @Override
  public long bytesAllocated() {
    return shared.bytesAllocated();
  }

  /// The device closes the storage, after all of its memories.
  @Override
  public void close() {}
}
