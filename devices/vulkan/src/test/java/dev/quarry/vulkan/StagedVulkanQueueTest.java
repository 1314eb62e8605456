package dev.quarry.vulkan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.QueueContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class StagedVulkanQueueTest extends QueueContract<VulkanWindow> {
  private static final ValidatedVulkan VK = new ValidatedVulkan();

  @BeforeAll
  static void skipWhereThereIsNone() {
    ValidatedVulkan.orSkip();
  }

  @Override
  protected Storage<VulkanWindow> open() {
    return VulkanStorage.open(VK, 0, VulkanOptions.DEFAULT.unmapped());
  }

  @AfterAll
  static void theValidationLayerHadNothingToSay() {
    assertThat(VK.messages).isEmpty();
  }
}
