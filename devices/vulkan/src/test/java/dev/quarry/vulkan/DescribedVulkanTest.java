package dev.quarry.vulkan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import dev.quarry.storage.StorageProvider.Availability;
import dev.quarry.vulkan.MemoryTypes.Heap;
import dev.quarry.vulkan.PhysicalDevice.Limits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.lwjgl.vulkan.VK10;
import org.lwjgl.vulkan.VK11;
import org.lwjgl.vulkan.VkDevice;
import org.lwjgl.vulkan.VkPhysicalDevice;

/// Devices that are not here: the driver that is, with another description.
class DescribedVulkanTest {
  @BeforeAll
  static void skipWhereThereIsNone() {
    ValidatedVulkan.orSkip();
  }

  private static class Described extends LwjglVulkan {
    final List<String> calls = new ArrayList<>();
    private final UnaryOperator<PhysicalDevice> description;

    Described(UnaryOperator<PhysicalDevice> description) {
      this.description = description;
    }

    @Override
    public PhysicalDevice describe(VkPhysicalDevice device) {
      return description.apply(super.describe(device));
    }

    @Override
    public List<Long> left(VkPhysicalDevice device) {
      return List.of(1000L, 1L << 30);
    }

    /// The driver that is here has no budgets.
    @Override
    public VkDevice createDevice(PhysicalDevice device, int family) {
      return super.createDevice(super.describe(device.handle()), family);
    }

    /// The types described are not the driver's.
    @Override
    public long allocate(VkDevice device, long size, int type) {
      calls.add("allocate " + type);
      if (type == 3) throw new VulkanException("allocate", VK10.VK_ERROR_OUT_OF_DEVICE_MEMORY);
      return super.allocate(device, size, 0);
    }

    @Override
    public void flush(VkDevice device, long memory, long offset, long size) {
      calls.add("flush " + offset + " " + size);
      super.flush(device, memory, offset, size);
    }

    @Override
    public void invalidate(VkDevice device, long memory, long offset, long size) {
      calls.add("invalidate " + offset + " " + size);
      super.invalidate(device, memory, offset, size);
    }

    @Override
    public Needs needs(VkDevice device, long buffer) {
      Needs needs = super.needs(device, buffer);
      return new Needs(needs.size(), needs.alignment(), -1);
    }
  }

  private static UnaryOperator<PhysicalDevice> with(Limits limits, MemoryTypes memory) {
    return here ->
        new PhysicalDevice(
            here.handle(),
            here.name(),
            here.version(),
            here.kind(),
            true,
            true,
            limits,
            memory,
            here.families());
  }

  private static final Limits LIMITS = new Limits(4096, 1 << 30, 16, 1024, 256);

  private static final MemoryTypes ONE_NOT_COHERENT =
      new MemoryTypes(
          List.of(new MemoryTypes.Type(0, 1 | 2 | 8)), List.of(new Heap(1 << 30, true)));

  @Test
  void memoryThatIsNotCoherentIsFlushedAndInvalidatedInWholeAtoms() {
    Described vk = new Described(with(LIMITS, ONE_NOT_COHERENT));
    try (VulkanStorage storage = VulkanStorage.open(vk, 0, VulkanOptions.DEFAULT);
        VulkanQueue queue = storage.openQueue()) {
      assertThat(storage.alignment()).isEqualTo(256);
      StorageId id = storage.allocate(1000);
      VulkanWindow window = storage.get(new Region(id, 300, 100));
      assertThat(window.mapped()).isEmpty();
      byte[] bytes = new byte[100];
      Arrays.fill(bytes, (byte) 6);
      queue.write(MemorySegment.ofArray(bytes), window);
      byte[] read = new byte[100];
      queue.read(window, MemorySegment.ofArray(read));
      assertThat(read).isEqualTo(bytes);
      queue.write(MemorySegment.ofArray(bytes), storage.get(new Region(id, 900, 100)));
      queue.write(MemorySegment.ofArray(bytes), storage.get(new Region(id, 200, 100)));
      assertThat(vk.calls)
          .containsExactly(
              "allocate 0", "flush 256 256", "invalidate 256 256", "flush 768 -1", "flush 0 512");
    }
  }

  @Test
  void alignmentGrowsWithWhatTheOptionsAllow() {
    PhysicalDevice device =
        new PhysicalDevice(
            null, "", VK11.VK_API_VERSION_1_1, 0, true, true, LIMITS, ONE_NOT_COHERENT, List.of());
    assertThat(device.alignment(VulkanOptions.DEFAULT)).isEqualTo(256);
    assertThat(device.alignment(VulkanOptions.DEFAULT.unmapped())).isEqualTo(16);
    assertThat(device.alignment(VulkanOptions.DEFAULT.withImages())).isEqualTo(1024);
  }

  @Test
  void aLimitOfAllocationsIsNamedBeforeTheDriverIsAsked() {
    Limits four = new Limits(4, 1 << 30, 16, 1024, 256);
    Described vk = new Described(with(four, ONE_NOT_COHERENT));
    try (VulkanStorage storage = VulkanStorage.open(vk, 0, VulkanOptions.DEFAULT)) {
      List<StorageId> ids = new ArrayList<>();
      for (int i = 0; i < 4; i++) ids.add(storage.allocate(64));
      assertThatThrownBy(() -> storage.allocate(64))
          .isInstanceOfSatisfying(
              MemoryException.class,
              e -> {
                assertThat(e.failure())
                    .isEqualTo(new MemoryFailure.TooManyAllocations(4, "maxMemoryAllocationCount"));
                assertThat(e.failure().retryable()).isTrue();
              })
          .hasMessageContaining("maxMemoryAllocationCount");
      assertThat(vk.calls).hasSize(4);
      storage.deallocate(ids.getFirst());
      storage.allocate(64);
      assertThat(storage.bytesAllocated()).isEqualTo(4 * 64);
    }
  }

  @Test
  void aHeapThatIsFullIsLeftForTheNextOne() {
    MemoryTypes types =
        new MemoryTypes(
            List.of(
                new MemoryTypes.Type(1, 2 | 4),
                new MemoryTypes.Type(1, 0),
                new MemoryTypes.Type(0, 1),
                new MemoryTypes.Type(1, 1)),
            List.of(new Heap(1 << 30, true), new Heap(1 << 30, false)));
    Described vk = new Described(with(LIMITS, types));
    try (VulkanStorage storage = VulkanStorage.open(vk, 0, VulkanOptions.DEFAULT)) {
      storage.allocate(900);
      storage.allocate(4000);
      assertThat(vk.calls)
          .as("the best has a budget of 1000 bytes, the next is refused by the driver")
          .containsExactly("allocate 2", "allocate 3", "allocate 1");
    }
  }

  @Test
  void aDeviceThatLacksSomethingIsListedWithItAndNotOpened() {
    Described vk =
        new Described(
            here ->
                new PhysicalDevice(
                    here.handle(),
                    "a museum piece",
                    VK11.VK_API_VERSION_1_1,
                    here.kind(),
                    false,
                    true,
                    LIMITS,
                    ONE_NOT_COHERENT,
                    here.families()));
    DeviceInfo info = ((Availability.Available) VulkanProvider.probe(vk)).devices().getFirst();
    assertThat(info.notes())
        .contains(
            "takes 4096 allocations at once",
            "can not be opened: it offers Vulkan 1.1 and 1.2 is needed");
    assertThat(info.free()).hasValue(1000);
    assertThatThrownBy(() -> VulkanStorage.open(vk, 0, VulkanOptions.DEFAULT))
        .isInstanceOf(MemoryException.class)
        .hasMessageContaining("a museum piece can not be opened");
  }

  @Test
  void theValidationLayerIsListenedTo() {
    ValidatedVulkan vk = new ValidatedVulkan();
    try (VulkanStorage storage = VulkanStorage.open(vk, 0, VulkanOptions.DEFAULT)) {
      vk.destroyBuffer(storage.device(), vk.createBuffer(storage.device(), 64, 0));
    }
    assertThat(vk.messages).isNotEmpty().allMatch(message -> message.contains("usage"));
  }
}
