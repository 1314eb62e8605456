package dev.quarry.vulkan;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.DeviceInfo;
import dev.quarry.vulkan.VulkanOptions.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.lwjgl.vulkan.VK10;
import org.lwjgl.vulkan.VkPhysicalDevice;

/// What a device says about itself. Sizes are bytes.
///
/// @param handle LWJGL's object
/// @param version of the interface, as `VK_MAKE_API_VERSION` packs it
/// @param kind a `VK_PHYSICAL_DEVICE_TYPE_…`
/// @param timelines whether it has timeline semaphores
/// @param budgets whether it tells what its heaps have left
/// @param families a set of `VK_QUEUE_…` bits and a number of queues for each queue family
record PhysicalDevice(
    VkPhysicalDevice handle,
    String name,
    int version,
    int kind,
    boolean timelines,
    boolean budgets,
    Limits limits,
    MemoryTypes memory,
    List<Family> families) {
  record Family(int flags, int queues) {}

  /// @param maxAllocations `maxMemoryAllocationCount`
  /// @param maxAllocation the largest of one `vkAllocateMemory` and of one buffer
  /// @param bufferAlignment what offsets of storage and uniform buffers must be a multiple of
  record Limits(
      long maxAllocations,
      long maxAllocation,
      long bufferAlignment,
      long bufferImageGranularity,
      long nonCoherentAtomSize) {}

  /// What windows start at multiples of.
  long alignment(VulkanOptions options) {
    long alignment = Math.max(Integer.BYTES, limits.bufferAlignment());
    if (options.images()) alignment = Math.max(alignment, limits.bufferImageGranularity());
    if (options.mapped() && memory.needFlushes(options.use()))
      alignment = Math.max(alignment, limits.nonCoherentAtomSize());
    return alignment;
  }

  long maxAllocation(Use use) {
    return Math.min(limits.maxAllocation(), memory.largestHeap(use));
  }

  /// @throws MemoryException when the device can not be used
  void check() {
    String lack = lack();
    if (lack != null)
      throw new MemoryException(
          new MemoryFailure.Unknown(name + " can not be opened, because it " + lack));
  }

  private @Nullable String lack() {
    if (VK10.VK_VERSION_MAJOR(version) == 1 && VK10.VK_VERSION_MINOR(version) < 2)
      return "offers Vulkan " + versionText() + " and 1.2 is needed";
    if (!timelines) return "has no timeline semaphores";
    if (computeFamily() < 0) return "has no queue for compute";
    return null;
  }

  /// The queue family to work on: one for compute, and if there is a choice one that also draws,
  /// since that is the device's main one.
  int computeFamily() {
    int found = -1;
    for (int i = families.size() - 1; i >= 0; i--) {
      int flags = families.get(i).flags();
      if ((flags & VK10.VK_QUEUE_COMPUTE_BIT) == 0) continue;
      if (found < 0 || (flags & VK10.VK_QUEUE_GRAPHICS_BIT) != 0) found = i;
    }
    return found;
  }

  private String versionText() {
    return VK10.VK_VERSION_MAJOR(version) + "." + VK10.VK_VERSION_MINOR(version);
  }

  /// @param left what each heap has left; null where the driver does not say
  DeviceInfo info(VulkanOptions options, @Nullable List<Long> left) {
    List<String> notes = new ArrayList<>();
    notes.add("Vulkan " + versionText());
    notes.add(
        switch (kind) {
          case VK10.VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU -> "an integrated GPU";
          case VK10.VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU -> "a discrete GPU";
          case VK10.VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU -> "a virtual GPU";
          case VK10.VK_PHYSICAL_DEVICE_TYPE_CPU -> "a CPU";
          default -> "another kind";
        });
    if (limits.maxAllocations() < 1 << 20)
      notes.add("takes " + limits.maxAllocations() + " allocations at once");
    String lack = lack();
    if (lack != null) notes.add("can not be opened: it " + lack);
    return new DeviceInfo(
        name,
        alignment(options),
        maxAllocation(options.use()),
        OptionalLong.of(memory.total()),
        left == null ? OptionalLong.empty() : OptionalLong.of(memory.sum(left)),
        notes);
  }
}
