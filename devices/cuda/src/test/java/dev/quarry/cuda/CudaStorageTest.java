package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.cuda.CudaOptions.Way;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.testkit.StorageContract;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CudaStorageTest extends StorageContract<CudaWindow> {
  private final DriverDouble driver = new DriverDouble();
  private final Cuda cuda = driver.cuda();
  private final Map<CudaStorage, CudaQueue> queues = new HashMap<>();
  private CudaStorage last = null;

  @BeforeAll
  static void skipWhereThereIsNone() {
    DriverDouble.orSkip();
  }

  Way way() {
    return Way.DRIVER;
  }

  CudaOptions options() {
    return CudaOptions.DEFAULT.way(way());
  }

  @Override
  protected Storage<CudaWindow> open(long capacity) {
    last = CudaStorage.open(cuda, 0, options().limit(capacity));
    queues.put(last, last.openQueue());
    return last;
  }

  @AfterEach
  void everythingWasGivenBackAndNothingMisused() {
    queues.values().forEach(CudaQueue::close);
    queues.keySet().forEach(CudaStorage::close);
    assertThat(driver.held()).isEmpty();
    assertThat(driver.misuse()).isEmpty();
  }

  @Override
  protected boolean zeroes() {
    return false;
  }

  @Override
  protected void write(CudaWindow resource, byte[] bytes) {
    queues.get(last).write(MemorySegment.ofArray(bytes), resource);
  }

  @Override
  protected byte[] read(CudaWindow resource) {
    byte[] bytes = new byte[(int) resource.size()];
    queues.get(last).read(resource, MemorySegment.ofArray(bytes));
    return bytes;
  }

  @Test
  void memoryIsTakenWhenItIsAllocatedAndFreeAgainWhenItWasFlushed() {
    try (CudaStorage storage = CudaStorage.open(cuda, 0, options())) {
      assertThat(storage.freeMemory()).isEqualTo(DriverDouble.MEMORY);
      StorageId id = storage.allocate(32 << 20);
      assertThat(storage.freeMemory()).isEqualTo(DriverDouble.MEMORY - (32 << 20));
      assertThat(storage.info().free()).hasValue(DriverDouble.MEMORY - (32 << 20));
      assertThat(storage.info().properties()).isEqualTo(storage.properties());
      assertThatThrownBy(() -> storage.allocate(DriverDouble.MEMORY - (16 << 20)))
          .isInstanceOfSatisfying(
              MemoryException.class,
              e -> assertThat(e.failure()).isInstanceOf(MemoryFailure.OutOfMemory.class));
      storage.deallocate(id);
      storage.flush();
      assertThat(storage.freeMemory()).isEqualTo(DriverDouble.MEMORY);
    }
  }

  /// Another program of the machine has the rest, so the driver refuses and not the books.
  @Test
  void aFullDeviceIsOutOfMemoryAndServesAgain() {
    try (CudaStorage storage = CudaStorage.open(cuda, 0, options());
        CudaStorage other = CudaStorage.open(cuda, 0, options())) {
      StorageId most = other.allocate(DriverDouble.MEMORY - (4 << 20));
      assertThatThrownBy(() -> storage.allocate(8 << 20))
          .isInstanceOfSatisfying(
              MemoryException.class,
              e -> assertThat(e.failure()).isEqualTo(new MemoryFailure.OutOfMemory(8 << 20)))
          .hasRootCauseMessage(
              switch (way()) {
                    case DRIVER -> "cuMemAlloc_v2";
                    case STREAM_ORDERED -> "cuMemAllocFromPoolAsync";
                    case VIRTUAL -> "cuMemCreate";
                  }
                  + " answered CUDA_ERROR_OUT_OF_MEMORY (2)");
      assertThat(storage.bytesAllocated()).isZero();
      other.deallocate(most);
      other.flush();
      storage.allocate(8 << 20);
    }
  }

  @Test
  void aContextThatSomebodyElseMadeIsUsedAndOutlivesTheStorage() {
    long context = cuda.retainPrimary(0);
    try (CudaStorage storage = CudaStorage.borrow(cuda, context, options());
        CudaQueue queue = storage.openQueue()) {
      assertThat(storage.context()).isEqualTo(context);
      assertThat(storage.device()).isZero();
      CudaWindow window = storage.get(new Region(storage.allocate(64), 8, 16));
      queue.fill(window, (byte) 5);
      byte[] bytes = new byte[16];
      queue.read(window, MemorySegment.ofArray(bytes));
      assertThat(bytes).containsOnly(5);
    }
    assertThat(driver.held()).isEqualTo(Map.of("contexts", 1L));
    cuda.releasePrimary(0);
  }

  @Test
  void theContextOfTheCallerStaysCurrent() {
    long context = cuda.retainPrimary(0);
    cuda.push(context);
    try (CudaStorage storage = CudaStorage.open(cuda, 0, options())) {
      storage.allocate(64);
      assertThat(cuda.contextDevice()).isZero();
      assertThat(driver.held()).containsEntry("pushes", 1L);
    }
    cuda.pop();
    cuda.releasePrimary(0);
  }

  @Test
  void aDeviceThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> CudaStorage.open(cuda, 7, options()))
        .isInstanceOf(MemoryException.class)
        .hasMessageContaining("there is no device cuda:7: this machine has 1");
  }

  @Test
  void eachDeviceHasMemoryOfItsOwn() {
    Cuda three = new DriverDouble(3).cuda();
    try (CudaStorage first = CudaStorage.open(three, 0, options());
        CudaStorage second = CudaStorage.open(three, 1, options())) {
      first.allocate(64 << 20);
      assertThat(first.freeMemory()).isEqualTo(DriverDouble.MEMORY - (64 << 20));
      assertThat(second.freeMemory()).isEqualTo(DriverDouble.MEMORY);
      assertThat(second.device()).isEqualTo(1);
    }
    if (way() == Way.DRIVER) CudaStorage.open(three, 2, options()).close();
    else
      assertThatThrownBy(() -> CudaStorage.open(three, 2, options()))
          .isInstanceOfSatisfying(
              MemoryException.class,
              e -> assertThat(e.failure()).isInstanceOf(MemoryFailure.UnsupportedOperation.class))
          .hasMessageContaining("on Double 2");
  }
}
