/// Vulkan memory: one `VkDeviceMemory` with one `VkBuffer` for each device allocation, timeline
/// semaphores as fences.
@NullMarked
package dev.quarry.vulkan;

import org.jspecify.annotations.NullMarked;
