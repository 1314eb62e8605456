package dev.quarry.testkit;

import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;

class BytesStorageDeviceTest extends DeviceContract<MemorySegment> {
  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return new BytesStorage(capacity);
  }
}
