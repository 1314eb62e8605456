package dev.quarry.vulkan;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// An allocation with a buffer over all of it.
///
/// @param buffer a `VkBuffer`; 0 for no bytes
/// @param memory a `VkDeviceMemory`; 0 for no bytes
/// @param size the bytes asked for
/// @param type its memory type
/// @param kind what that type offers
/// @param mapped its bytes; null when they are not mapped
record VulkanMemory(
    long buffer,
    long memory,
    long size,
    int type,
    MemoryTypes.Type kind,
    @Nullable MemorySegment mapped) {
  static final VulkanMemory NOTHING =
      new VulkanMemory(0, 0, 0, 0, new MemoryTypes.Type(0, 0), null);

  boolean isNothing() {
    return buffer == 0;
  }
}
