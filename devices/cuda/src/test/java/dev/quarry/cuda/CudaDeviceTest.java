package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.cuda.CudaOptions.Way;
import dev.quarry.storage.Storage;
import dev.quarry.testkit.DeviceContract;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class CudaDeviceTest extends DeviceContract<CudaWindow> {
  private static DriverDouble driver;

  @BeforeAll
  static void startOrSkip() {
    DriverDouble.orSkip();
    driver = new DriverDouble();
  }

  Way way() {
    return Way.DRIVER;
  }

  @Override
  protected Storage<CudaWindow> open(long capacity) {
    return CudaStorage.open(driver.cuda(), 0, CudaOptions.DEFAULT.way(way()).limit(capacity));
  }

  @AfterAll
  static void everythingWasGivenBackAndNothingMisused() {
    assertThat(driver.held()).isEqualTo(Map.of());
    assertThat(driver.misuse()).isEmpty();
  }
}
