package dev.quarry.opencl;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.DeviceContract;
import org.junit.jupiter.api.BeforeAll;

class OpenClDeviceTest extends DeviceContract<ClWindow> {
  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<ClWindow> open(long capacity) {
    return OpenClStorage.open(0, OpenClOptions.DEFAULT.limit(capacity));
  }
}
