package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.cuda.CudaOptions.Way;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.Layout;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.storage.Fence;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CudaFaultTest {
  private static final int SIZE = 4096;
  private static final int ILLEGAL_ADDRESS = 700;

  /// Calls that give something back: one that is refused alone leaves that held.
  private static final Set<String> RELEASES =
      Set.of(
          "cuMemFree_v2",
          "cuMemFreeAsync",
          "cuMemFreeHost",
          "cuMemUnmap",
          "cuMemAddressFree",
          "cuMemRelease",
          "cuMemPoolDestroy",
          "cuStreamDestroy_v2",
          "cuEventDestroy_v2",
          "cuDevicePrimaryCtxRelease_v2");

  @BeforeAll
  static void skipWhereThereIsNone() {
    DriverDouble.orSkip();
  }

  /// Does a bit of everything. What is refused is passed over.
  private static final class Work {
    final List<RuntimeException> refusals = new ArrayList<>();
    private final Cuda cuda;
    private final Way way;

    /// Lives until nothing uses it any more: a copy may still be on its way when waiting is
    /// refused.
    private final MemorySegment host = Arena.ofAuto().allocate(SIZE - 2);

    Work(Cuda cuda, Way way) {
      this.cuda = cuda;
      this.way = way;
    }

    void run() {
      attempt(
          () -> {
            CudaStorage storage = CudaStorage.open(cuda, 0, CudaOptions.DEFAULT.way(way));
            attempt(() -> use(storage));
            attempt(storage::close);
            assertThat(storage.bytesAllocated()).isZero();
            storage.close();
          });
    }

    private void use(CudaStorage storage) {
      CudaQueue first = storage.openQueue();
      attempt(
          () -> {
            CudaQueue second = storage.openQueue();
            attempt(() -> use(storage, first, second));
            attempt(second::close);
          });
      attempt(first::close);
      first.close();
      attempt(() -> storage.openQueue().close());
      attempt(storage::flush);
    }

    private void use(CudaStorage storage, CudaQueue first, CudaQueue second) {
      List<StorageId> ids = new ArrayList<>();
      for (int i = 0; i < 2; i++) attempt(() -> ids.add(storage.allocate(SIZE)));
      assertThat(storage.bytesAllocated()).isEqualTo((long) ids.size() * SIZE);
      attempt(storage::freeMemory);
      if (ids.size() == 2) {
        CudaWindow from = storage.get(new Region(ids.get(0), 1, SIZE - 2));
        CudaWindow to = storage.get(new Region(ids.get(1), 1, SIZE - 2));
        attempt(() -> first.write(host, from));
        attempt(() -> first.write(MemorySegment.ofArray(new byte[SIZE - 2]), from));
        attempt(() -> first.fill(from, (byte) 1));
        attempt(() -> handOver(first, second));
        attempt(() -> second.copy(from, to));
        attempt(() -> second.run(() -> {}));
        attempt(() -> second.read(to, MemorySegment.ofArray(new byte[SIZE - 2])));
        attempt(() -> second.fence().await());
        attempt(() -> first.fence().await());
        attempt(() -> usePinned(storage.openPinned().orElseThrow()));
        attempt(() -> first.fill(to, (byte) 2));
      }
      for (StorageId id : ids) attempt(() -> storage.deallocate(id));
      attempt(storage::flush);
      assertThat(storage.bytesAllocated()).isZero();
    }

    private void usePinned(Storage<MemorySegment> pinned) {
      attempt(() -> pinned.allocate(SIZE));
      attempt(() -> pinned.deallocate(pinned.allocate(SIZE)));
      attempt(pinned::close);
    }

    private static void handOver(CudaQueue first, CudaQueue second) {
      Fence fence = first.fence();
      second.waitFor(fence);
      fence.isPassed();
    }

    private void attempt(Runnable step) {
      try {
        step.run();
      } catch (MemoryException | WorkException e) {
        refusals.add(e);
      }
    }
  }

  private static Object failure(RuntimeException refusal) {
    return refusal instanceof MemoryException memory
        ? memory.failure()
        : ((WorkException) refusal).failure();
  }

  @ParameterizedTest
  @EnumSource
  void whateverCallIsRefusedTheBooksBalanceAndNothingStaysHeld(Way way) {
    DriverDouble sound = new DriverDouble();
    Work whole = new Work(sound.cuda(), way);
    sound.fail(-1, 0, false);
    whole.run();
    assertThat(whole.refusals).isEmpty();
    assertThat(sound.held()).isEmpty();
    assertThat(sound.misuse()).isEmpty();
    long calls = sound.calls();
    Set<String> failed = new HashSet<>();
    for (long call = 0; call < calls; call++) {
      DriverDouble driver = new DriverDouble();
      Work work = new Work(driver.cuda(), way);
      driver.fail(call, CuStatus.OUT_OF_MEMORY, false);
      work.run();
      String what = way + ", call " + call + ", " + driver.failed();
      failed.add(driver.failed());
      assertThat(driver.misuse()).as(what).isEmpty();
      if (RELEASES.contains(driver.failed())) continue;
      // What is made current may have been so to give something back.
      if (driver.failed().equals("cuCtxPushCurrent_v2"))
        assertThat(driver.held())
            .as(what)
            .doesNotContainKeys("contexts", "pushes")
            .allSatisfy((kind, left) -> assertThat(kind.equals("bytes") || left <= 2).isTrue());
      else assertThat(driver.held()).as(what).isEmpty();
      assertThat(work.refusals)
          .as(what)
          .allSatisfy(
              refusal ->
                  assertThat(failure(refusal))
                      .isInstanceOfAny(
                          MemoryFailure.OutOfMemory.class,
                          MemoryFailure.ReleaseFailed.class,
                          WorkFailure.Memory.class));
    }
    assertThat(failed)
        .contains("cuEventRecord", "cuMemHostAlloc", "cuStreamSynchronize", "cuCtxPushCurrent_v2")
        .contains(
            switch (way) {
              case DRIVER -> "cuMemAlloc_v2";
              case STREAM_ORDERED -> "cuMemPoolCreate";
              case VIRTUAL -> "cuMemSetAccess";
            });
  }

  @ParameterizedTest
  @EnumSource
  void aContextThatIsLostFailsTheWorkAndEverythingIsGivenBack(Way way) {
    DriverDouble sound = new DriverDouble();
    Cuda cuda = sound.cuda();
    sound.fail(-1, 0, false);
    workOnADevice(cuda, way);
    long calls = sound.calls();
    for (long lost = 0; lost < calls; lost++) {
      DriverDouble driver = new DriverDouble();
      Cuda failing = driver.cuda();
      driver.fail(lost, ILLEGAL_ADDRESS, true);
      try {
        workOnADevice(failing, way);
      } catch (MemoryException | WorkException e) {
        assertThat(e).hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS");
      }
      String what = way + ", call " + lost + ", " + driver.failed();
      assertThat(driver.held()).as(what).doesNotContainKeys("contexts", "pushes");
      assertThat(driver.misuse()).as(what).isEmpty();
    }
  }

  private static void workOnADevice(Cuda cuda, Way way) {
    CudaStorage storage = CudaStorage.open(cuda, 0, CudaOptions.DEFAULT.way(way));
    try (Device<CudaWindow> device =
        Device.open(
            storage,
            storage.properties(),
            DeviceOptions.DEFAULT.layout(Layout.parse("sliced:page=64KiB")))) {
      try (Buffer first = device.stream().allocate(SIZE);
          Buffer second = device.stream().allocate(SIZE)) {
        device.stream().fill(first, (byte) 1);
        device.stream().copy(first, second);
        device.stream().read(second, MemorySegment.ofArray(new byte[SIZE]));
      }
    }
  }

  @Test
  void aReleaseThatIsRefusedIsReportedAndTheRestIsReleased() {
    DriverDouble driver = new DriverDouble();
    CudaStorage storage = CudaStorage.open(driver.cuda(), 0, CudaOptions.DEFAULT);
    for (int i = 0; i < 5; i++) storage.allocate(SIZE);
    driver.fail(1, 999, false);
    assertThatThrownBy(storage::close)
        .isInstanceOfSatisfying(
            MemoryException.class,
            e -> assertThat(e.failure()).isInstanceOf(MemoryFailure.ReleaseFailed.class))
        .hasMessageContaining("cuMemFree_v2 answered CUDA_ERROR_UNKNOWN (999)");
    assertThat(driver.held()).containsEntry("ranges", 1L).doesNotContainKey("contexts");
  }

  @Test
  void eventsOfFencesThatNobodyAsksAboutAreReleased() {
    DriverDouble driver = new DriverDouble();
    try (CudaStorage storage = CudaStorage.open(driver.cuda(), 0, CudaOptions.DEFAULT);
        CudaQueue queue = storage.openQueue()) {
      CudaWindow window = storage.get(new Region(storage.allocate(SIZE), 0, SIZE));
      for (int i = 0; i < 1000; i++) {
        queue.fill(window, (byte) i);
        Fence fence = queue.fence();
        if (i % 100 == 0) {
          fence.await();
          queue.fence();
          assertThat(driver.held().get("events")).isLessThanOrEqualTo(2);
        }
      }
    }
    assertThat(driver.held()).isEmpty();
  }

  @Test
  void hostCodeThatThrowsEndsNeitherTheQueueNorTheProcess() {
    DriverDouble driver = new DriverDouble();
    AtomicInteger ran = new AtomicInteger();
    List<Throwable> thrown = new ArrayList<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((_, e) -> thrown.add(e));
    try (CudaStorage storage = CudaStorage.open(driver.cuda(), 0, CudaOptions.DEFAULT);
        CudaQueue queue = storage.openQueue()) {
      queue.run(
          () -> {
            throw new IllegalStateException("expected");
          });
      queue.run(ran::incrementAndGet);
      queue.fence().await();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertThat(ran).hasValue(1);
    assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
  }

  /// The double must find what a real driver would punish.
  @Test
  void theDoubleNoticesMemoryThatIsFreedWhileCommandsUseIt() {
    DriverDouble driver = new DriverDouble();
    Cuda cuda = driver.cuda();
    try (CudaStorage storage = CudaStorage.open(cuda, 0, CudaOptions.DEFAULT);
        CudaQueue queue = storage.openQueue()) {
      CudaContext context = new CudaContext(cuda, storage.context());
      long address = context.get(() -> cuda.allocate(SIZE));
      queue.fill(new CudaWindow(address, SIZE), (byte) 1);
      context.run(() -> cuda.free(address));
      queue.fence().await();
    }
    assertThat(driver.misuse()).isEqualTo("a command filled memory that is not allocated");
  }
}
