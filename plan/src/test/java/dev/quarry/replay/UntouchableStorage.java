package dev.quarry.replay;

import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;

/// Memory of a device that runs no commands.
final class UntouchableStorage implements Storage<MemorySegment> {
  private final BytesStorage bytes = new BytesStorage();

  @Override
  public long alignment() {
    return bytes.alignment();
  }

  @Override
  public StorageId allocate(long size) {
    return bytes.allocate(size);
  }

  @Override
  public MemorySegment get(Region region) {
    return bytes.get(region);
  }

  @Override
  public void deallocate(StorageId id) {
    bytes.deallocate(id);
  }

  @Override
  public void flush() {
    bytes.flush();
  }

  @Override
  public long bytesAllocated() {
    return bytes.bytesAllocated();
  }

  @Override
  public void close() {
    bytes.close();
  }
}
