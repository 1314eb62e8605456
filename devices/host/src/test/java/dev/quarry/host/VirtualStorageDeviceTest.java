package dev.quarry.host;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.DeviceContract;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeAll;

class VirtualStorageDeviceTest extends DeviceContract<MemorySegment> {
  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return VirtualStorage.open(VirtualOptions.ofMachine().limit(capacity));
  }
}
