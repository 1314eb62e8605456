package dev.quarry.vulkan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.testkit.StorageContract;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.lwjgl.vulkan.VK10;

class VulkanStorageTest extends StorageContract<VulkanWindow> {
  private final Map<VulkanStorage, VulkanQueue> queues = new HashMap<>();
  private VulkanStorage last = null;

  @BeforeAll
  static void skipWhereThereIsNone() {
    ValidatedVulkan.orSkip();
  }

  @Override
  protected Storage<VulkanWindow> open(long capacity) {
    last = VulkanStorage.open(0, options().limit(capacity));
    queues.put(last, last.openQueue());
    return last;
  }

  VulkanOptions options() {
    return VulkanOptions.DEFAULT;
  }

  @AfterEach
  void closeQueues() {
    queues.values().forEach(VulkanQueue::close);
  }

  @Override
  protected boolean zeroes() {
    return false;
  }

  @Override
  protected void write(VulkanWindow resource, byte[] bytes) {
    queue().write(MemorySegment.ofArray(bytes), resource);
  }

  @Override
  protected byte[] read(VulkanWindow resource) {
    byte[] bytes = new byte[(int) resource.size()];
    queue().read(resource, MemorySegment.ofArray(bytes));
    return bytes;
  }

  private VulkanQueue queue() {
    return queues.get(last);
  }

  @Test
  void aBufferOfItsOwnSeesTheWindowsBytes() {
    ValidatedVulkan vk = new ValidatedVulkan();
    try (VulkanStorage storage = VulkanStorage.open(vk, 0, options());
        VulkanQueue queue = storage.openQueue()) {
      long alignment = storage.alignment();
      StorageId id = storage.allocate(64 * alignment);
      queue.fill(storage.get(new Region(id, 0, 64 * alignment)), (byte) 1);
      VulkanWindow window = storage.get(new Region(id, 16 * alignment, 16 * alignment));
      try (VulkanBuffer buffer = storage.buffer(window, VK10.VK_BUFFER_USAGE_TRANSFER_DST_BIT)) {
        queue.record(
            commands ->
                VK10.vkCmdFillBuffer(commands, buffer.handle(), 0, VK10.VK_WHOLE_SIZE, 0x02020202));
        queue.fence().await();
      }
      byte[] bytes = new byte[(int) (64 * alignment)];
      queue.read(storage.get(new Region(id, 0, 64 * alignment)), MemorySegment.ofArray(bytes));
      for (int i = 0; i < bytes.length; i++)
        assertThat(bytes[i]).isEqualTo((byte) (i >= 16 * alignment && i < 32 * alignment ? 2 : 1));
    }
    assertThat(vk.messages).isEmpty();
  }

  @Test
  void aBufferThatStartsBetweenOrHasNoBytesIsRefusedBeforeTheDriverIsAsked() {
    ValidatedVulkan vk = new ValidatedVulkan();
    try (VulkanStorage storage = VulkanStorage.open(vk, 0, options())) {
      StorageId id = storage.allocate(1 << 16);
      int usage = VK10.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
      assertThatThrownBy(() -> storage.buffer(storage.get(new Region(id, 4, 8)), usage))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("multiple of");
      assertThatThrownBy(() -> storage.buffer(storage.get(new Region(id, 0, 0)), usage))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no bytes");
    }
    assertThat(vk.messages).isEmpty();
  }

  @Test
  void memoryTheHostSeesIsMappedUnlessTheOptionsSayOtherwise() {
    try (VulkanStorage storage = VulkanStorage.open(0, options());
        VulkanQueue queue = storage.openQueue()) {
      VulkanWindow window = storage.get(new Region(storage.allocate(64), 8, 16));
      queue.fill(window, (byte) 3);
      queue.fence().await();
      Optional<MemorySegment> mapped = window.mapped();
      assertThat(mapped.isPresent()).isEqualTo(options().mapped());
      mapped.ifPresent(
          bytes -> assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).hasSize(16).containsOnly(3));
    }
  }

  @Test
  void aDeviceThatSomebodyElseMadeIsUsedAndOutlivesTheStorage() {
    ValidatedVulkan vk = new ValidatedVulkan();
    try (VulkanStorage owner = VulkanStorage.open(vk, 0, options());
        VulkanQueue ownersQueue = owner.openQueue()) {
      ownersQueue.exclusively(
          queue -> {
            try (VulkanStorage storage =
                    VulkanStorage.borrow(
                        vk,
                        owner.device().getPhysicalDevice().getInstance().address(),
                        owner.device().getPhysicalDevice().address(),
                        owner.device().address(),
                        queue.address(),
                        owner.queueFamily(),
                        options());
                VulkanQueue second = storage.openQueue()) {
              VulkanWindow window = storage.get(new Region(storage.allocate(1 << 20), 5, 7));
              second.fill(window, (byte) 4);
              byte[] bytes = new byte[7];
              second.read(window, MemorySegment.ofArray(bytes));
              assertThat(bytes).containsOnly(4);
            }
          });
      owner.allocate(64);
    }
    assertThat(vk.messages).isEmpty();
  }

  @Test
  void aDeviceThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> VulkanStorage.open(99))
        .isInstanceOf(MemoryException.class)
        .hasMessageContaining("vulkan:99");
  }

  @Test
  void aCopyBetweenSizesThatDifferIsRefused() {
    try (VulkanStorage storage = VulkanStorage.open(0);
        VulkanQueue queue = storage.openQueue()) {
      VulkanWindow window = storage.get(new Region(storage.allocate(8), 0, 8));
      assertThatThrownBy(() -> queue.write(MemorySegment.ofArray(new byte[9]), window))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("9 bytes to 8 bytes");
      assertThatThrownBy(() -> queue.read(window, MemorySegment.ofArray(new byte[7])))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
