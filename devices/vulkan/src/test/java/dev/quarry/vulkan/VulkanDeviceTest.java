package dev.quarry.vulkan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.DeviceContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class VulkanDeviceTest extends DeviceContract<VulkanWindow> {
  private static final ValidatedVulkan VK = new ValidatedVulkan();

  @BeforeAll
  static void skipWhereThereIsNone() {
    ValidatedVulkan.orSkip();
  }

  @Override
  protected Storage<VulkanWindow> open(long capacity) {
    return VulkanStorage.open(VK, 0, VulkanOptions.DEFAULT.limit(capacity));
  }

  @AfterAll
  static void theValidationLayerHadNothingToSay() {
    assertThat(VK.messages).isEmpty();
  }
}
