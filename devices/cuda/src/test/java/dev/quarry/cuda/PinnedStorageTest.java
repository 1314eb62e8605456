package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.testkit.StorageContract;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PinnedStorageTest extends StorageContract<MemorySegment> {
  private final DriverDouble driver = new DriverDouble();
  private final CudaStorage device = CudaStorage.open(driver.cuda(), 0, CudaOptions.DEFAULT);
  private final List<Storage<MemorySegment>> opened = new ArrayList<>();

  @BeforeAll
  static void skipWhereThereIsNone() {
    DriverDouble.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open(long capacity) {
    Storage<MemorySegment> pinned = device.openPinned().orElseThrow();
    opened.add(pinned);
    return pinned;
  }

  @AfterEach
  void everythingWasGivenBackAndNothingMisused() {
    opened.forEach(Storage::close);
    device.close();
    assertThat(driver.held()).isEmpty();
    assertThat(driver.misuse()).isEmpty();
  }

  @Override
  protected boolean canBeLimited() {
    return false;
  }

  @Override
  protected void write(MemorySegment resource, byte[] bytes) {
    resource.copyFrom(MemorySegment.ofArray(bytes));
  }

  @Override
  protected byte[] read(MemorySegment resource) {
    return resource.toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void theDeviceCopiesFromIt() {
    try (Storage<MemorySegment> pinned = open(CAPACITY);
        CudaQueue queue = device.openQueue()) {
      MemorySegment host = pinned.get(new Region(pinned.allocate(100), 0, 100)).fill((byte) 3);
      CudaWindow window = device.get(new Region(device.allocate(100), 0, 100));
      queue.write(host, window);
      queue.fence().await();
      host.fill((byte) 0);
      queue.read(window, host);
      queue.fence().await();
      assertThat(host.toArray(ValueLayout.JAVA_BYTE)).containsOnly(3);
    }
  }
}
