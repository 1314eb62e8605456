package dev.quarry.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.quarry.storage.StorageId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenClFaultTest {
  private static final int SIZE = 4096;
  private static final int INVALID_COMMAND_QUEUE = -36;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  /// Does a bit of everything. What is refused is passed over.
  private static final class Work {
    final List<RuntimeException> refusals = new ArrayList<>();
    private final FailingOpenCl cl;

    Work(FailingOpenCl cl) {
      this.cl = cl;
    }

    void run() {
      attempt(
          () -> {
            OpenClStorage storage =
                OpenClStorage.open(cl.calls, 0, OpenClOptions.DEFAULT.touched());
            attempt(() -> use(storage));
            assertThat(storage.bytesAllocated()).isZero();
            attempt(storage::close);
            storage.close();
          });
    }

    private void use(OpenClStorage storage) {
      OpenClQueue first = storage.openQueue();
      attempt(
          () -> {
            OpenClQueue second = storage.openQueue();
            attempt(() -> use(storage, first, second));
            attempt(second::close);
          });
      attempt(first::close);
      first.close();
    }

    private void use(OpenClStorage storage, OpenClQueue first, OpenClQueue second) {
      List<StorageId> ids = new ArrayList<>();
      for (int i = 0; i < 2; i++) attempt(() -> ids.add(storage.allocate(SIZE)));
      assertThat(storage.bytesAllocated()).isEqualTo((long) ids.size() * SIZE);
      if (ids.size() == 2) {
        ClWindow from = storage.get(new Region(ids.get(0), 0, SIZE));
        ClWindow to = storage.get(new Region(ids.get(1), 0, SIZE));
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment host = arena.allocate(SIZE);
          attempt(() -> first.write(host, from));
          attempt(() -> first.write(MemorySegment.ofArray(new byte[SIZE]), from));
          attempt(() -> first.fill(from, (byte) 1));
          attempt(() -> handOver(first, second));
          attempt(() -> second.copy(from, to));
          attempt(() -> second.read(to, MemorySegment.ofArray(new byte[SIZE])));
          attempt(() -> second.fence().await());
          attempt(() -> first.fence().await());
        }
        attempt(() -> storage.subBuffer(to).close());
      }
      for (StorageId id : ids) attempt(() -> storage.deallocate(id));
      storage.flush();
    }

    private static void handOver(OpenClQueue first, OpenClQueue second) {
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
  @ValueSource(ints = {ClStatus.MEM_OBJECT_ALLOCATION_FAILURE, ClStatus.OUT_OF_RESOURCES, -6, -36})
  void whateverCallIsRefusedTheBooksBalanceAndNothingStaysHeld(int status) {
    FailingOpenCl sound = new FailingOpenCl(-1, 0);
    Work whole = new Work(sound);
    whole.run();
    assertThat(whole.refusals).isEmpty();
    assertThat(sound.held()).isEmpty();
    assertThat(sound.made)
        .contains("createContext", "createSubBuffer", "waitFor", "await", "finish", "releaseEvent");
    for (int call = 0; call < sound.made.size(); call++) {
      FailingOpenCl failing = new FailingOpenCl(call, status);
      Work work = new Work(failing);
      work.run();
      String what = "call " + call + ", " + failing.failed();
      if (failing.failed().startsWith("release")) {
        assertThat(failing.held().values()).as(what).containsExactly(1);
        continue;
      }
      assertThat(failing.held()).as(what).isEmpty();
      assertThat(work.refusals).as(what).hasSizeLessThanOrEqualTo(1);
      if (status == INVALID_COMMAND_QUEUE) continue;
      assertThat(work.refusals)
          .as(what)
          .allSatisfy(
              refusal ->
                  assertThat(failure(refusal))
                      .isInstanceOfAny(MemoryFailure.OutOfMemory.class, WorkFailure.Memory.class));
    }
  }

  @Test
  void aReleaseThatIsRefusedIsReportedOnceAndTheRestIsReleased() {
    FailingOpenCl sound = new FailingOpenCl(-1, 0);
    fillAndClose(sound);
    int release = sound.made.indexOf("releaseBuffer");
    FailingOpenCl failing = new FailingOpenCl(release, INVALID_COMMAND_QUEUE);
    assertThatThrownBy(() -> fillAndClose(failing))
        .isInstanceOfSatisfying(
            MemoryException.class,
            e -> assertThat(e.failure()).isInstanceOf(MemoryFailure.ReleaseFailed.class))
        .hasMessageContaining("CL_INVALID_COMMAND_QUEUE (-36)");
    assertThat(failing.held()).isEqualTo(Map.of("buffers", 1));
  }

  private static void fillAndClose(FailingOpenCl cl) {
    OpenClStorage storage = OpenClStorage.open(cl.calls, 0, OpenClOptions.DEFAULT);
    for (int i = 0; i < 5; i++) storage.allocate(SIZE);
    storage.close();
  }

  /// What drivers do that allocate when memory is first used: the refusal comes with the event.
  @Test
  void memoryThatIsMissedWhenACommandRunsIsOutOfMemoryAtTheFence() {
    FailingOpenCl sound = new FailingOpenCl(-1, 0);
    fence(sound);
    FailingOpenCl failing =
        new FailingOpenCl(sound.made.indexOf("status"), ClStatus.MEM_OBJECT_ALLOCATION_FAILURE);
    assertThatThrownBy(() -> fence(failing))
        .isInstanceOfSatisfying(
            WorkException.class,
            e ->
                assertThat(e.failure())
                    .isEqualTo(new WorkFailure.Memory(new MemoryFailure.OutOfMemory(SIZE))));
    assertThat(failing.held()).isEmpty();
  }

  private static void fence(FailingOpenCl cl) {
    try (OpenClStorage storage = OpenClStorage.open(cl.calls, 0, OpenClOptions.DEFAULT);
        OpenClQueue queue = storage.openQueue()) {
      queue.fill(storage.get(new Region(storage.allocate(SIZE), 0, SIZE)), (byte) 1);
      Fence fence = queue.fence();
      fence.await();
      assertThat(fence.isPassed()).isTrue();
    }
  }

  /// Fences live as long as nobody has seen them pass; a long run must not pile them up.
  @Test
  void eventsOfFencesThatNobodyAsksAboutAreReleased() {
    FailingOpenCl cl = new FailingOpenCl(-1, 0);
    try (OpenClStorage storage = OpenClStorage.open(cl.calls, 0, OpenClOptions.DEFAULT);
        OpenClQueue queue = storage.openQueue()) {
      ClWindow window = storage.get(new Region(storage.allocate(SIZE), 0, SIZE));
      for (int i = 0; i < 1000; i++) {
        queue.fill(window, (byte) i);
        Fence fence = queue.fence();
        if (i % 100 == 0) {
          fence.await();
          queue.fence();
          assertThat(cl.held().get("events")).isLessThanOrEqualTo(2);
        }
      }
    }
    assertThat(cl.held()).isEmpty();
  }

  @Test
  void aDeviceThatIsLostFailsTheWorkAndStillClosesWithEverythingReleased() {
    for (int lost = 0; lost < 40; lost++) {
      FailingOpenCl cl = new FailingOpenCl(lost, INVALID_COMMAND_QUEUE);
      try {
        workOnADevice(cl);
      } catch (MemoryException | WorkException e) {
        assertThat(e).hasMessageContaining("CL_INVALID_COMMAND_QUEUE");
      }
      if (cl.made.size() > lost && cl.failed().startsWith("release"))
        assertThat(cl.held().values()).containsExactly(1);
      else assertThat(cl.held()).as("call %d", lost).isEmpty();
    }
  }

  private static void workOnADevice(FailingOpenCl cl) {
    OpenClStorage storage = OpenClStorage.open(cl.calls, 0, OpenClOptions.DEFAULT);
    try (Device<ClWindow> device =
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
}
