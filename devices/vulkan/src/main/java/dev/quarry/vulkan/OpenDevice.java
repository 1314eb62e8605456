package dev.quarry.vulkan;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.vulkan.MemoryTypes.Heap;
import dev.quarry.vulkan.VulkanOptions.Use;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.lwjgl.vulkan.VK10;
import org.lwjgl.vulkan.VkCommandBuffer;
import org.lwjgl.vulkan.VkDevice;
import org.lwjgl.vulkan.VkInstance;
import org.lwjgl.vulkan.VkQueue;

/// A `VkDevice` with what is shared on it: its queues, its timelines, and the number of its
/// allocations.
///
/// Threads: any, at once.
final class OpenDevice {
  /// What every buffer over an allocation may be used for.
  static final int USAGE =
      VK10.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
          | VK10.VK_BUFFER_USAGE_TRANSFER_DST_BIT
          | VK10.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
          | VK10.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;

  private final Vulkan vk;
  private final PhysicalDevice physical;
  private final VkDevice handle;
  private final int family;
  private final List<VkQueue> queues;

  /// What is destroyed with the device; null when both are somebody else's.
  private final @Nullable VkInstance owned;

  private final AtomicInteger nextQueue = new AtomicInteger();
  private final AtomicLong allocated = new AtomicLong();
  private final ArrayDeque<Timeline> idle = new ArrayDeque<>();
  private final ArrayDeque<Timeline> timelines = new ArrayDeque<>();

  OpenDevice(
      Vulkan vk,
      PhysicalDevice physical,
      VkDevice handle,
      int family,
      List<VkQueue> queues,
      @Nullable VkInstance owned) {
    this.vk = vk;
    this.physical = physical;
    this.handle = handle;
    this.family = family;
    this.queues = List.copyOf(queues);
    this.owned = owned;
  }

  Vulkan vk() {
    return vk;
  }

  PhysicalDevice physical() {
    return physical;
  }

  VkDevice handle() {
    return handle;
  }

  int family() {
    return family;
  }

  /// The device's queues in turn: more streams than queues share them.
  VkQueue nextQueue() {
    return queues.get(Math.floorMod(nextQueue.getAndIncrement(), queues.size()));
  }

  /// The driver wants one thread at a time for each queue.
  void submit(
      VkQueue queue,
      @Nullable VkCommandBuffer commands,
      List<Vulkan.Point> waits,
      Vulkan.Point signal) {
    synchronized (queue) {
      vk.submit(queue, commands, waits, signal);
    }
  }

  void awaitIdle(VkQueue queue) {
    synchronized (queue) {
      vk.awaitIdle(queue);
    }
  }

  /// A timeline that no queue drives.
  synchronized Timeline takeTimeline() {
    Timeline known = idle.poll();
    if (known != null) return known;
    Timeline made = new Timeline(vk, handle);
    timelines.add(made);
    return made;
  }

  synchronized void giveBack(Timeline timeline) {
    if (!timeline.isLost()) idle.add(timeline);
  }

  /// Memory of the first type that has room, with a buffer over all of it.
  ///
  /// @param map whether to map it if the host can see it
  /// @throws MemoryException when there is none
  VulkanMemory allocate(Use use, long size, boolean map) {
    long limit = physical.limits().maxAllocations();
    if (allocated.incrementAndGet() > limit) {
      allocated.decrementAndGet();
      throw tooMany(limit);
    }
    try {
      long buffer = vk.createBuffer(handle, size, USAGE);
      try {
        return bound(buffer, use, size, map);
      } catch (RuntimeException e) {
        vk.destroyBuffer(handle, buffer);
        throw e;
      }
    } catch (VulkanException e) {
      allocated.decrementAndGet();
      throw e.isTooManyObjects() ? tooMany(allocated.get()) : e.ofMemory(size);
    } catch (MemoryException e) {
      allocated.decrementAndGet();
      throw e;
    }
  }

  private static MemoryException tooMany(long held) {
    return new MemoryException(
        new MemoryFailure.TooManyAllocations(held, "maxMemoryAllocationCount"));
  }

  private VulkanMemory bound(long buffer, Use use, long size, boolean map) {
    Vulkan.Needs needs = vk.needs(handle, buffer);
    List<Integer> types = physical.memory().candidates(use, needs.types(), left(), needs.size());
    VulkanException refusal = null;
    for (int type : types) {
      try {
        return mapped(buffer, vk.allocate(handle, needs.size(), type), type, size, map);
      } catch (VulkanException e) {
        if (!e.isOutOfMemory()) throw e;
        if (refusal != null) e.addSuppressed(refusal);
        refusal = e;
      }
    }
    if (refusal != null) throw refusal;
    throw new MemoryException(new MemoryFailure.BufferTooBig(size));
  }

  private List<Long> left() {
    return physical.budgets()
        ? vk.left(physical.handle())
        : physical.memory().heaps().stream().map(Heap::size).toList();
  }

  private VulkanMemory mapped(long buffer, long memory, int type, long size, boolean map) {
    try {
      vk.bind(handle, buffer, memory, 0);
      MemoryTypes.Type kind = physical.memory().types().get(type);
      MemorySegment bytes =
          map && kind.isVisible() ? Native.segment(vk.map(handle, memory), size) : null;
      return new VulkanMemory(buffer, memory, size, type, kind, bytes);
    } catch (VulkanException e) {
      vk.free(handle, memory);
      throw e;
    }
  }

  void free(VulkanMemory memory) {
    vk.destroyBuffer(handle, memory.buffer());
    vk.free(handle, memory.memory());
    allocated.decrementAndGet();
  }

  /// Makes what the host wrote visible to the device.
  void flush(VulkanMemory memory, long offset, long size) {
    if (!memory.kind().isCoherent())
      vk.flush(handle, memory.memory(), atomsBelow(offset), atomsAround(memory, offset, size));
  }

  /// Makes what the device wrote visible to the host.
  void invalidate(VulkanMemory memory, long offset, long size) {
    if (!memory.kind().isCoherent())
      vk.invalidate(handle, memory.memory(), atomsBelow(offset), atomsAround(memory, offset, size));
  }

  private long atomsBelow(long offset) {
    return offset - offset % physical.limits().nonCoherentAtomSize();
  }

  /// Whole atoms, or up to the end of the allocation, which need not be one.
  private long atomsAround(VulkanMemory memory, long offset, long size) {
    long atom = physical.limits().nonCoherentAtomSize();
    long end = (offset + size + atom - 1) / atom * atom;
    return end >= memory.size() ? VK10.VK_WHOLE_SIZE : end - atomsBelow(offset);
  }

  void close() {
    timelines.forEach(Timeline::close);
    if (owned == null) return;
    vk.destroyDevice(handle);
    vk.destroyInstance(owned);
  }
}
