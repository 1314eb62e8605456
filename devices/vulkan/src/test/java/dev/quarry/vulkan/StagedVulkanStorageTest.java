package dev.quarry.vulkan;

/// What discrete devices do, whose memory the host does not see.
class StagedVulkanStorageTest extends VulkanStorageTest {
  @Override
  VulkanOptions options() {
    return VulkanOptions.DEFAULT.unmapped();
  }
}
