package dev.quarry.vulkan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lwjgl.vulkan.VkCommandBuffer;
import org.lwjgl.vulkan.VkDevice;
import org.lwjgl.vulkan.VkInstance;
import org.lwjgl.vulkan.VkPhysicalDevice;
import org.lwjgl.vulkan.VkQueue;

/// The calls of Vulkan 1.2 that this package makes. Sizes and offsets are bytes. Whatever is
/// refused throws [VulkanException].
interface Vulkan {
  VkInstance createInstance();

  void destroyInstance(VkInstance instance);

  List<VkPhysicalDevice> physicalDevices(VkInstance instance);

  PhysicalDevice describe(VkPhysicalDevice device);

  /// What each heap has left by its budget, at this moment.
  List<Long> left(VkPhysicalDevice device);

  /// A device with timeline semaphores, and with all queues of one family.
  VkDevice createDevice(PhysicalDevice device, int family);

  void destroyDevice(VkDevice device);

  VkQueue queue(VkDevice device, int family, int place);

  /// A buffer for copies, storage, uniforms and whatever else the usage says.
  long createBuffer(VkDevice device, long size, int usage);

  void destroyBuffer(VkDevice device, long buffer);

  Needs needs(VkDevice device, long buffer);

  /// What memory a buffer can be bound to.
  ///
  /// @param types a bit for each type of memory
  record Needs(long size, long alignment, int types) {}

  long allocate(VkDevice device, long size, int type);

  void free(VkDevice device, long memory);

  void bind(VkDevice device, long buffer, long memory, long offset);

  /// Maps a whole allocation.
  ///
  /// @return its address
  long map(VkDevice device, long memory);

  /// Makes what the host wrote to memory that is not coherent visible to the device.
  void flush(VkDevice device, long memory, long offset, long size);

  /// Makes what the device wrote to memory that is not coherent visible to the host.
  void invalidate(VkDevice device, long memory, long offset, long size);

  long createTimeline(VkDevice device);

  void destroyTimeline(VkDevice device, long semaphore);

  /// What a timeline has reached.
  long value(VkDevice device, long semaphore);

  /// Blocks until a timeline reaches a value.
  void await(VkDevice device, long semaphore, long value);

  /// A pool whose command buffers can be begun again.
  long createPool(VkDevice device, int family);

  void destroyPool(VkDevice device, long pool);

  VkCommandBuffer commandBuffer(VkDevice device, long pool);

  /// Empties a command buffer and begins to record.
  void begin(VkCommandBuffer commands);

  void end(VkCommandBuffer commands);

  /// Makes everything after it wait for everything before it, and see what that wrote; the host
  /// too.
  void barrier(VkCommandBuffer commands);

  void copy(
      VkCommandBuffer commands,
      long source,
      long sourceOffset,
      long target,
      long targetOffset,
      long size);

  /// Offset and size are multiples of four.
  void fill(VkCommandBuffer commands, long target, long offset, long size, int value);

  /// Runs commands when timelines have reached values, and then has a timeline reach one.
  void submit(VkQueue queue, @Nullable VkCommandBuffer commands, List<Point> waits, Point signal);

  /// Blocks until nothing runs on a queue.
  void awaitIdle(VkQueue queue);

  /// A value of a timeline.
  record Point(long semaphore, long value) {}
}
