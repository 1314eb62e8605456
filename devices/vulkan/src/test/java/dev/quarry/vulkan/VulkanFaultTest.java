package dev.quarry.vulkan;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lwjgl.vulkan.VK10;

class VulkanFaultTest {
  private static final int SIZE = 4096;

  @BeforeAll
  static void skipWhereThereIsNone() {
    ValidatedVulkan.orSkip();
  }

  /// Does a bit of everything. What is refused is passed over.
  private static final class Work {
    final List<RuntimeException> refusals = new ArrayList<>();
    private final FailingVulkan vk;
    private final VulkanOptions options;

    Work(FailingVulkan vk, VulkanOptions options) {
      this.vk = vk;
      this.options = options;
    }

    void run() {
      attempt(
          () -> {
            VulkanStorage storage = VulkanStorage.open(vk.calls, 0, options);
            attempt(() -> use(storage));
            attempt(storage::close);
            assertThat(storage.bytesAllocated()).isZero();
            storage.close();
          });
    }

    private void use(VulkanStorage storage) {
      VulkanQueue first = storage.openQueue();
      attempt(
          () -> {
            VulkanQueue second = storage.openQueue();
            attempt(() -> use(storage, first, second));
            attempt(second::close);
          });
      attempt(first::close);
      first.close();
      attempt(() -> storage.openQueue().close());
    }

    private void use(VulkanStorage storage, VulkanQueue first, VulkanQueue second) {
      List<StorageId> ids = new ArrayList<>();
      for (int i = 0; i < 2; i++) attempt(() -> ids.add(storage.allocate(SIZE)));
      assertThat(storage.bytesAllocated()).isEqualTo((long) ids.size() * SIZE);
      if (ids.size() == 2) {
        VulkanWindow from = storage.get(new Region(ids.get(0), 1, SIZE - 2));
        VulkanWindow to = storage.get(new Region(ids.get(1), 1, SIZE - 2));
        byte[] bytes = new byte[SIZE - 2];
        attempt(() -> first.write(MemorySegment.ofArray(bytes), from));
        attempt(() -> first.fill(from, (byte) 1));
        attempt(() -> first.write(MemorySegment.ofArray(bytes), from));
        attempt(() -> handOver(first, second));
        attempt(() -> second.copy(from, to));
        attempt(() -> second.read(to, MemorySegment.ofArray(bytes)));
        attempt(() -> second.fence().await());
        attempt(() -> first.fence().await());
        attempt(
            () ->
                storage
                    .buffer(
                        storage.get(new Region(ids.get(1), 0, SIZE)),
                        VK10.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)
                    .close());
        attempt(() -> first.fill(to, (byte) 2));
      }
      for (StorageId id : ids) attempt(() -> storage.deallocate(id));
      storage.flush();
      assertThat(storage.bytesAllocated()).isZero();
    }

    private static void handOver(VulkanQueue first, VulkanQueue second) {
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
  @ValueSource(booleans = {true, false})
  void whateverCallIsRefusedForWantOfMemoryTheBooksBalanceAndNothingStaysHeld(boolean mapped) {
    VulkanOptions options = mapped ? VulkanOptions.DEFAULT : VulkanOptions.DEFAULT.unmapped();
    FailingVulkan sound = new FailingVulkan(-1, 0, false);
    Work whole = new Work(sound, options);
    whole.run();
    assertThat(whole.refusals).isEmpty();
    assertThat(sound.held()).isEmpty();
    assertThat(sound.real.messages).isEmpty();
    assertThat(sound.made).contains("createDevice", "bind", "submit", "begin", "end");
    for (int call = 0; call < sound.made.size(); call++) {
      FailingVulkan failing = new FailingVulkan(call, VK10.VK_ERROR_OUT_OF_DEVICE_MEMORY, false);
      Work work = new Work(failing, options);
      work.run();
      String what = "call " + call + ", " + failing.failed();
      assertThat(failing.held()).as(what).isEmpty();
      assertThat(work.refusals)
          .as(what)
          .allSatisfy(
              refusal ->
                  assertThat(failure(refusal))
                      .isInstanceOfAny(MemoryFailure.OutOfMemory.class, WorkFailure.Memory.class));
      assertThat(failing.real.messages).as(what).isEmpty();
    }
  }

  @Test
  void aDeviceThatIsLostFailsTheWorkAndStillClosesWithEverythingReleased() {
    FailingVulkan sound = new FailingVulkan(-1, 0, false);
    workOnADevice(sound);
    assertThat(sound.held()).isEmpty();
    for (int lost = 0; lost < sound.made.size(); lost++) {
      FailingVulkan vk = new FailingVulkan(lost, VK10.VK_ERROR_DEVICE_LOST, true);
      try {
        workOnADevice(vk);
      } catch (MemoryException | WorkException e) {
        assertThat(e).hasMessageContaining("VK_ERROR_DEVICE_LOST");
      }
      assertThat(vk.held()).as("call %d, %s", lost, vk.failed()).isEmpty();
    }
  }

  private static void workOnADevice(FailingVulkan vk) {
    VulkanStorage storage = VulkanStorage.open(vk.calls, 0, VulkanOptions.DEFAULT);
    try (Device<VulkanWindow> device =
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

  /// Commands are gathered, so the refusal comes when they are handed over.
  @Test
  void whatIsRefusedWhenItIsHandedOverIsReportedByTheFenceAndTheQueueGoesOn() {
    FailingVulkan sound = new FailingVulkan(-1, 0, false);
    try (VulkanStorage storage = VulkanStorage.open(sound.calls, 0, VulkanOptions.DEFAULT);
        VulkanQueue queue = storage.openQueue()) {
      fillAndFence(storage, queue);
    }
    FailingVulkan failing =
        new FailingVulkan(sound.made.indexOf("submit"), VK10.VK_ERROR_OUT_OF_HOST_MEMORY, false);
    try (VulkanStorage storage = VulkanStorage.open(failing.calls, 0, VulkanOptions.DEFAULT);
        VulkanQueue queue = storage.openQueue()) {
      Fence fence = fillAndFence(storage, queue);
      for (int i = 0; i < 2; i++) {
        WorkException refusal = null;
        try {
          fence.isPassed();
        } catch (WorkException e) {
          refusal = e;
        }
        assertThat(refusal).isNotNull();
        assertThat(refusal.failure())
            .isEqualTo(new WorkFailure.Memory(new MemoryFailure.OutOfMemory(SIZE)));
      }
      Fence later = fillAndFence(storage, queue);
      later.await();
      assertThat(later.isPassed()).isTrue();
    }
    assertThat(failing.held()).isEmpty();
    assertThat(failing.real.messages).isEmpty();
  }

  private static Fence fillAndFence(VulkanStorage storage, VulkanQueue queue) {
    queue.fill(storage.get(new Region(storage.allocate(SIZE), 0, SIZE)), (byte) 1);
    return queue.fence();
  }

  /// A long run must not pile up command buffers or timelines.
  @Test
  void queuesThatComeAndGoShareTheirTimelines() {
    FailingVulkan vk = new FailingVulkan(-1, 0, false);
    try (VulkanStorage storage = VulkanStorage.open(vk.calls, 0, VulkanOptions.DEFAULT)) {
      for (int i = 0; i < 50; i++)
        try (VulkanQueue queue = storage.openQueue()) {
          for (int round = 0; round < 10; round++) {
            Fence fence = fillAndFence(storage, queue);
            fence.await();
          }
        }
      assertThat(vk.held()).containsEntry("Timeline", 1).doesNotContainKey("Pool");
      assertThat(vk.made.stream().filter(call -> call.equals("commandBuffer")).count())
          .isLessThanOrEqualTo(100);
    }
    assertThat(vk.held()).isEmpty();
    assertThat(vk.real.messages).isEmpty();
  }
}
