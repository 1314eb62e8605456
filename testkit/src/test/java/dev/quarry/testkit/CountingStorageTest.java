package dev.quarry.testkit;

import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;

class CountingStorageTest extends StorageContract<Region> {
  @Override
  protected Storage<Region> open(long capacity) {
    return new CountingStorage(1, capacity);
  }

  @Override
  protected boolean holdsBytes() {
    return false;
  }

  @Override
  protected void write(Region resource, byte[] bytes) {
    throw new AssertionError("a region has no bytes");
  }

  @Override
  protected byte[] read(Region resource) {
    throw new AssertionError("a region has no bytes");
  }
}
