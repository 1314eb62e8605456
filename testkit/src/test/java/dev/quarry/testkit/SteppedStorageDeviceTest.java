package dev.quarry.testkit;

import dev.quarry.storage.SteppedStorage;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;

class SteppedStorageDeviceTest extends DeviceContract<MemorySegment> {
  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return new SteppedStorage(capacity);
  }
}
