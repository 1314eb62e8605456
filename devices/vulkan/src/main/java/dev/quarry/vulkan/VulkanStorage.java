package dev.quarry.vulkan;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.storage.Allocations;
import dev.quarry.storage.DeferredReleases;
import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.vulkan.VK12;
import org.lwjgl.vulkan.VkDevice;
import org.lwjgl.vulkan.VkDeviceCreateInfo;
import org.lwjgl.vulkan.VkInstance;
import org.lwjgl.vulkan.VkPhysicalDevice;
import org.lwjgl.vulkan.VkQueue;

/// Memory of a Vulkan device: a `vkAllocateMemory` with a buffer over it for each allocation, of
/// which shaders get the buffer and an offset.
///
/// Memory comes from the best type for its use whose heap has room, by its budget where the driver
/// tells one, and from the next one when the driver refuses. Memory that was given back while
/// commands use it is freed in [#allocate] or [#flush] when they are done.
///
/// Fresh memory holds anything.
///
/// Threads: one at a time, as with every storage; its queues and their fences as [VulkanQueue]
/// says.
///
/// Errors: what the driver refuses for want of memory is [MemoryFailure.OutOfMemory], with its
/// status in the cause; more than `maxMemoryAllocationCount` allocations are
/// [MemoryFailure.TooManyAllocations] before the driver is asked, staging buffers included.
public final class VulkanStorage implements Storage<VulkanWindow> {
  private final OpenDevice device;
  private final VulkanOptions options;
  private final Allocations<VulkanMemory> allocations;
  private final DeferredReleases<VulkanMemory> releases;
  private final List<VulkanQueue> queues = new CopyOnWriteArrayList<>();
  private boolean closed;

  private VulkanStorage(OpenDevice device, VulkanOptions options) {
    this.device = device;
    this.options = options;
    PhysicalDevice physical = device.physical();
    this.allocations = new Allocations<>(options.limit(), physical.maxAllocation(options.use()));
    this.releases = new DeferredReleases<>(device::free);
  }

  /// Opens a device with an instance of its own, with the defaults.
  ///
  /// @param device its place among the devices, from 0 on, as [VulkanProvider#probe] lists them
  /// @throws MemoryException when there is no Vulkan or no such device, or it lacks something
  public static VulkanStorage open(int device) {
    return open(device, VulkanOptions.DEFAULT);
  }

  /// Opens a device with an instance of its own.
  ///
  /// @param device its place among the devices, from 0 on, as [VulkanProvider#probe] lists them
  /// @throws MemoryException when there is no Vulkan or no such device, or it lacks something
  public static VulkanStorage open(int device, VulkanOptions options) {
    return open(library(), device, options);
  }

  static VulkanStorage open(Vulkan vk, int place, VulkanOptions options) {
    try {
      VkInstance instance = vk.createInstance();
      try {
        return new VulkanStorage(open(vk, instance, place), options);
      } catch (RuntimeException e) {
        vk.destroyInstance(instance);
        throw e;
      }
    } catch (VulkanException e) {
      throw e.ofMemory(0);
    }
  }

  private static OpenDevice open(Vulkan vk, VkInstance instance, int place) {
    List<VkPhysicalDevice> devices = vk.physicalDevices(instance);
    if (place < 0 || place >= devices.size())
      throw new MemoryException(
          new MemoryFailure.Unknown(
              "there is no device vulkan:" + place + ": this machine has " + devices.size()));
    PhysicalDevice physical = vk.describe(devices.get(place));
    physical.check();
    int family = physical.computeFamily();
    VkDevice device = vk.createDevice(physical, family);
    List<VkQueue> queues =
        IntStream.range(0, physical.families().get(family).queues())
            .mapToObj(queue -> vk.queue(device, family, queue))
            .toList();
    return new OpenDevice(vk, physical, device, family, queues, instance);
  }

  /// Works on a device that somebody else made, and leaves it open.
  ///
  /// The instance must have been made for Vulkan 1.2 or later and the device with the feature
  /// `timelineSemaphore`. Whoever else submits to the queue does so in [VulkanQueue#exclusively].
  ///
  /// @param instance a `VkInstance`
  /// @param physicalDevice the `VkPhysicalDevice` that the device was made of
  /// @param device a `VkDevice`
  /// @param queue a `VkQueue` of it, for compute
  /// @param family the queue family that it is of
  /// @throws MemoryException when there is no Vulkan, or the device lacks something
  public static VulkanStorage borrow(
      long instance,
      long physicalDevice,
      long device,
      long queue,
      int family,
      VulkanOptions options) {
    return borrow(library(), instance, physicalDevice, device, queue, family, options);
  }

  static VulkanStorage borrow(
      LwjglVulkan vk,
      long instance,
      long physicalDevice,
      long device,
      long queue,
      int family,
      VulkanOptions options) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkPhysicalDevice handle =
          new VkPhysicalDevice(physicalDevice, new VkInstance(instance, vk.instanceInfo(stack)));
      PhysicalDevice physical = vk.describe(handle);
      physical.check();
      VkDevice wrapped =
          new VkDevice(
              device,
              handle,
              VkDeviceCreateInfo.calloc(stack).sType$Default(),
              VK12.VK_API_VERSION_1_2);
      return new VulkanStorage(
          new OpenDevice(vk, physical, wrapped, family, List.of(new VkQueue(queue, wrapped)), null),
          options);
    } catch (VulkanException e) {
      throw e.ofMemory(0);
    }
  }

  private static LwjglVulkan library() {
    try {
      return LwjglVulkan.load();
    } catch (UnsupportedOperationException e) {
      throw new MemoryException(
          new MemoryFailure.Unknown("Vulkan is not available, because " + e.getMessage()), e);
    }
  }

  /// The device, to make pipelines and descriptors with. Valid until the storage is closed.
  public VkDevice device() {
    return device.handle();
  }

  /// The queue family that the queues are of.
  public int queueFamily() {
    return device.family();
  }

  /// What the device says about itself, with what its heaps have left by their budget now.
  public DeviceInfo info() {
    return device.physical().info(options, VulkanProvider.leftOf(device.vk(), device.physical()));
  }

  /// What to resolve layouts for.
  public DeviceProperties properties() {
    return device.physical().info(options, null).properties();
  }

  /// What offsets of storage and uniform buffers must be a multiple of, in bytes; with images also
  /// `bufferImageGranularity`, and where memory that is not coherent may be mapped also
  /// `nonCoherentAtomSize`.
  @Override
  public long alignment() {
    return device.physical().alignment(options);
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    if (size == 0) return allocations.add(0, VulkanMemory.NOTHING);
    releases.releasePassed();
    return allocations.add(size, device.allocate(options.use(), size, options.mapped()));
  }

  @Override
  public VulkanWindow get(Region region) {
    return new VulkanWindow(allocations.of(region), region.offset(), region.size());
  }

  /// A buffer of its own over a window, bound to the window's memory.
  ///
  /// @param usage `VK_BUFFER_USAGE_…`
  /// @throws IllegalArgumentException when the window has no bytes, or such a buffer can not start
  ///   there or be bound to that type of memory
  /// @throws MemoryException when the driver refuses
  public VulkanBuffer buffer(VulkanWindow window, int usage) {
    if (window.size() == 0) throw new IllegalArgumentException("the window has no bytes");
    Vulkan vk = device.vk();
    try {
      long buffer = vk.createBuffer(device.handle(), window.size(), usage);
      try {
        checkFits(vk.needs(device.handle(), buffer), window);
        vk.bind(device.handle(), buffer, window.memory(), window.offset());
        return new VulkanBuffer(device, buffer);
      } catch (RuntimeException e) {
        vk.destroyBuffer(device.handle(), buffer);
        throw e;
      }
    } catch (VulkanException e) {
      throw e.ofMemory(window.size());
    }
  }

  private static void checkFits(Vulkan.Needs needs, VulkanWindow window) {
    if (window.offset() % needs.alignment() != 0)
      throw new IllegalArgumentException(
          window + " does not start at a multiple of " + needs.alignment() + " bytes");
    if ((needs.types() & 1 << window.memoryType()) == 0)
      throw new IllegalArgumentException(
          "a buffer for this usage can not be bound to memory of type " + window.memoryType());
    long room = window.allocation().size() - window.offset();
    if (needs.size() > room && window.size() < room)
      throw new IllegalArgumentException(
          window + " lies too near the end of its memory: the buffer needs " + needs.size());
  }

  @Override
  public void deallocate(StorageId id) {
    VulkanMemory memory = allocations.remove(id);
    if (memory == null || memory.isNothing()) return;
    releases.add(memory, queues.stream().map(VulkanQueue::behindEverything).toList());
  }

  @Override
  public void flush() {
    releases.releasePassed();
  }

  @Override
  public long bytesAllocated() {
    return allocations.bytes();
  }

  /// A queue of its own order. See [VulkanQueue] for what it offers beyond the interface.
  @Override
  public VulkanQueue openQueue() {
    try {
      VulkanQueue queue = new VulkanQueue(device, queues::remove);
      queues.add(queue);
      return queue;
    } catch (VulkanException e) {
      throw e.ofMemory(0);
    }
  }

  /// Closes the queues that are still open, and releases everything.
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    allocations.refuseMore();
    queues.forEach(VulkanQueue::close);
    releases.awaitAll();
    for (VulkanMemory memory : allocations.all()) if (!memory.isNothing()) device.free(memory);
    allocations.clear();
    device.close();
  }
}
