package dev.quarry.vulkan;

import static org.lwjgl.vulkan.VK10.*;

import dev.quarry.vulkan.MemoryTypes.Heap;
import dev.quarry.vulkan.PhysicalDevice.Family;
import dev.quarry.vulkan.PhysicalDevice.Limits;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.Library;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.vulkan.EXTMemoryBudget;
import org.lwjgl.vulkan.VK;
import org.lwjgl.vulkan.VK11;
import org.lwjgl.vulkan.VK12;
import org.lwjgl.vulkan.VkApplicationInfo;
import org.lwjgl.vulkan.VkBufferCopy;
import org.lwjgl.vulkan.VkBufferCreateInfo;
import org.lwjgl.vulkan.VkCommandBuffer;
import org.lwjgl.vulkan.VkCommandBufferAllocateInfo;
import org.lwjgl.vulkan.VkCommandBufferBeginInfo;
import org.lwjgl.vulkan.VkCommandPoolCreateInfo;
import org.lwjgl.vulkan.VkDevice;
import org.lwjgl.vulkan.VkDeviceCreateInfo;
import org.lwjgl.vulkan.VkDeviceQueueCreateInfo;
import org.lwjgl.vulkan.VkExtensionProperties;
import org.lwjgl.vulkan.VkInstance;
import org.lwjgl.vulkan.VkInstanceCreateInfo;
import org.lwjgl.vulkan.VkMappedMemoryRange;
import org.lwjgl.vulkan.VkMemoryAllocateInfo;
import org.lwjgl.vulkan.VkMemoryBarrier;
import org.lwjgl.vulkan.VkMemoryRequirements;
import org.lwjgl.vulkan.VkPhysicalDevice;
import org.lwjgl.vulkan.VkPhysicalDeviceFeatures2;
import org.lwjgl.vulkan.VkPhysicalDeviceLimits;
import org.lwjgl.vulkan.VkPhysicalDeviceMaintenance3Properties;
import org.lwjgl.vulkan.VkPhysicalDeviceMemoryBudgetPropertiesEXT;
import org.lwjgl.vulkan.VkPhysicalDeviceMemoryProperties;
import org.lwjgl.vulkan.VkPhysicalDeviceMemoryProperties2;
import org.lwjgl.vulkan.VkPhysicalDeviceProperties2;
import org.lwjgl.vulkan.VkPhysicalDeviceTimelineSemaphoreFeatures;
import org.lwjgl.vulkan.VkQueue;
import org.lwjgl.vulkan.VkQueueFamilyProperties;
import org.lwjgl.vulkan.VkSemaphoreCreateInfo;
import org.lwjgl.vulkan.VkSemaphoreTypeCreateInfo;
import org.lwjgl.vulkan.VkSemaphoreWaitInfo;
import org.lwjgl.vulkan.VkSubmitInfo;
import org.lwjgl.vulkan.VkTimelineSemaphoreSubmitInfo;

/// Vulkan by way of LWJGL.
class LwjglVulkan implements Vulkan {
  LwjglVulkan() {}

  /// Loads the library, once for the process.
  ///
  /// @throws UnsupportedOperationException with the phrase that completes "not available, because"
  static LwjglVulkan load() {
    if (Loading.REASON != null) throw new UnsupportedOperationException(Loading.REASON);
    return new LwjglVulkan();
  }

  /// Loading is tried once, since the JVM does not try again either.
  private static final class Loading {
    static final @Nullable String REASON = tryToLoad();

    private static @Nullable String tryToLoad() {
      try {
        Library.initialize();
      } catch (LinkageError | RuntimeException e) {
        Module lwjgl = Library.class.getModule();
        return lwjgl.isNativeAccessEnabled()
            ? "the native library of LWJGL can not be loaded: " + rootOf(e)
            : "native access is denied: start the JVM with --enable-native-access="
                + Objects.requireNonNullElse(lwjgl.getName(), "ALL-UNNAMED");
      }
      try {
        VK.getInstanceVersionSupported();
        return null;
      } catch (LinkageError | RuntimeException e) {
        return "the Vulkan library can not be loaded: " + rootOf(e);
      }
    }

    private static String rootOf(Throwable failure) {
      Throwable root = failure;
      while (root.getCause() != null) root = root.getCause();
      return String.valueOf(root.getMessage()).lines().findFirst().orElse("no reason given");
    }
  }

  private static void check(String call, int status) {
    if (status != VK_SUCCESS) throw new VulkanException(call, status);
  }

  @Override
  public VkInstance createInstance() {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkInstanceCreateInfo info = instanceInfo(stack);
      PointerBuffer handle = stack.mallocPointer(1);
      check("vkCreateInstance", vkCreateInstance(info, null, handle));
      return new VkInstance(handle.get(0), info);
    }
  }

  VkInstanceCreateInfo instanceInfo(MemoryStack stack) {
    VkApplicationInfo application =
        VkApplicationInfo.calloc(stack)
            .sType$Default()
            .pEngineName(stack.UTF8("Quarry"))
            .apiVersion(Math.min(VK.getInstanceVersionSupported(), VK12.VK_API_VERSION_1_2));
    return VkInstanceCreateInfo.calloc(stack).sType$Default().pApplicationInfo(application);
  }

  @Override
  public void destroyInstance(VkInstance instance) {
    vkDestroyInstance(instance, null);
  }

  @Override
  public List<VkPhysicalDevice> physicalDevices(VkInstance instance) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer count = stack.mallocInt(1);
      check("vkEnumeratePhysicalDevices", vkEnumeratePhysicalDevices(instance, count, null));
      if (count.get(0) == 0) return List.of();
      PointerBuffer handles = stack.mallocPointer(count.get(0));
      check("vkEnumeratePhysicalDevices", vkEnumeratePhysicalDevices(instance, count, handles));
      List<VkPhysicalDevice> devices = new ArrayList<>();
      for (int i = 0; i < count.get(0); i++)
        devices.add(new VkPhysicalDevice(handles.get(i), instance));
      return devices;
    }
  }

  @Override
  public PhysicalDevice describe(VkPhysicalDevice device) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkPhysicalDeviceMaintenance3Properties maintenance =
          VkPhysicalDeviceMaintenance3Properties.calloc(stack).sType$Default();
      VkPhysicalDeviceProperties2 properties =
          VkPhysicalDeviceProperties2.calloc(stack).sType$Default();
      VkPhysicalDeviceTimelineSemaphoreFeatures timelines =
          VkPhysicalDeviceTimelineSemaphoreFeatures.calloc(stack).sType$Default();
      VkPhysicalDeviceFeatures2 features = VkPhysicalDeviceFeatures2.calloc(stack).sType$Default();
      vkGetPhysicalDeviceProperties(device, properties.properties());
      int version = properties.properties().apiVersion();
      boolean modern = version >= VK12.VK_API_VERSION_1_2;
      if (modern) {
        VK11.vkGetPhysicalDeviceProperties2(device, properties.pNext(maintenance));
        VK11.vkGetPhysicalDeviceFeatures2(device, features.pNext(timelines));
      }
      VkPhysicalDeviceLimits limits = properties.properties().limits();
      return new PhysicalDevice(
          device,
          properties.properties().deviceNameString(),
          version,
          properties.properties().deviceType(),
          timelines.timelineSemaphore(),
          modern && offersBudgets(device, stack),
          new Limits(
              Integer.toUnsignedLong(limits.maxMemoryAllocationCount()),
              modern ? maintenance.maxMemoryAllocationSize() : Long.MAX_VALUE,
              Math.max(
                  limits.minStorageBufferOffsetAlignment(),
                  limits.minUniformBufferOffsetAlignment()),
              limits.bufferImageGranularity(),
              limits.nonCoherentAtomSize()),
          memoryTypes(device, stack),
          families(device, stack));
    }
  }

  private static boolean offersBudgets(VkPhysicalDevice device, MemoryStack stack) {
    IntBuffer count = stack.mallocInt(1);
    check(
        "vkEnumerateDeviceExtensionProperties",
        vkEnumerateDeviceExtensionProperties(device, (String) null, count, null));
    try (VkExtensionProperties.Buffer extensions = VkExtensionProperties.malloc(count.get(0))) {
      check(
          "vkEnumerateDeviceExtensionProperties",
          vkEnumerateDeviceExtensionProperties(device, (String) null, count, extensions));
      return extensions.stream()
          .anyMatch(
              extension ->
                  extension
                      .extensionNameString()
                      .equals(EXTMemoryBudget.VK_EXT_MEMORY_BUDGET_EXTENSION_NAME));
    }
  }

  private static MemoryTypes memoryTypes(VkPhysicalDevice device, MemoryStack stack) {
    VkPhysicalDeviceMemoryProperties memory = VkPhysicalDeviceMemoryProperties.malloc(stack);
    vkGetPhysicalDeviceMemoryProperties(device, memory);
    List<MemoryTypes.Type> types = new ArrayList<>();
    for (int i = 0; i < memory.memoryTypeCount(); i++)
      types.add(
          new MemoryTypes.Type(
              memory.memoryTypes(i).heapIndex(), memory.memoryTypes(i).propertyFlags()));
    List<Heap> heaps = new ArrayList<>();
    for (int i = 0; i < memory.memoryHeapCount(); i++)
      heaps.add(
          new Heap(
              memory.memoryHeaps(i).size(),
              (memory.memoryHeaps(i).flags() & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0));
    return new MemoryTypes(types, heaps);
  }

  private static List<Family> families(VkPhysicalDevice device, MemoryStack stack) {
    IntBuffer count = stack.mallocInt(1);
    vkGetPhysicalDeviceQueueFamilyProperties(device, count, null);
    VkQueueFamilyProperties.Buffer properties = VkQueueFamilyProperties.malloc(count.get(0), stack);
    vkGetPhysicalDeviceQueueFamilyProperties(device, count, properties);
    return properties.stream()
        .map(each -> new Family(each.queueFlags(), each.queueCount()))
        .toList();
  }

  @Override
  public List<Long> left(VkPhysicalDevice device) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkPhysicalDeviceMemoryBudgetPropertiesEXT budget =
          VkPhysicalDeviceMemoryBudgetPropertiesEXT.calloc(stack).sType$Default();
      VkPhysicalDeviceMemoryProperties2 memory =
          VkPhysicalDeviceMemoryProperties2.calloc(stack).sType$Default().pNext(budget);
      VK11.vkGetPhysicalDeviceMemoryProperties2(device, memory);
      int heaps = memory.memoryProperties().memoryHeapCount();
      return LongStream.range(0, heaps)
          .map(heap -> budget.heapBudget((int) heap) - budget.heapUsage((int) heap))
          .map(left -> Math.max(0, left))
          .boxed()
          .toList();
    }
  }

  @Override
  public VkDevice createDevice(PhysicalDevice device, int family) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      FloatBuffer priorities = stack.mallocFloat(device.families().get(family).queues());
      for (int i = 0; i < priorities.capacity(); i++) priorities.put(i, 1);
      VkDeviceQueueCreateInfo.Buffer queues = VkDeviceQueueCreateInfo.calloc(1, stack);
      queues.get(0).sType$Default().queueFamilyIndex(family).pQueuePriorities(priorities);
      VkPhysicalDeviceTimelineSemaphoreFeatures timelines =
          VkPhysicalDeviceTimelineSemaphoreFeatures.calloc(stack)
              .sType$Default()
              .timelineSemaphore(true);
      VkDeviceCreateInfo info =
          VkDeviceCreateInfo.calloc(stack)
              .sType$Default()
              .pNext(timelines)
              .pQueueCreateInfos(queues);
      if (device.budgets())
        info.ppEnabledExtensionNames(
            stack.pointers(stack.UTF8(EXTMemoryBudget.VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)));
      PointerBuffer handle = stack.mallocPointer(1);
      check("vkCreateDevice", vkCreateDevice(device.handle(), info, null, handle));
      return new VkDevice(handle.get(0), device.handle(), info, device.version());
    }
  }

  @Override
  public void destroyDevice(VkDevice device) {
    vkDestroyDevice(device, null);
  }

  @Override
  public VkQueue queue(VkDevice device, int family, int place) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      PointerBuffer handle = stack.mallocPointer(1);
      vkGetDeviceQueue(device, family, place, handle);
      return new VkQueue(handle.get(0), device);
    }
  }

  @Override
  public long createBuffer(VkDevice device, long size, int usage) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkBufferCreateInfo info =
          VkBufferCreateInfo.calloc(stack)
              .sType$Default()
              .size(size)
              .usage(usage)
              .sharingMode(VK_SHARING_MODE_EXCLUSIVE);
      LongBuffer handle = stack.mallocLong(1);
      check("vkCreateBuffer", vkCreateBuffer(device, info, null, handle));
      return handle.get(0);
    }
  }

  @Override
  public void destroyBuffer(VkDevice device, long buffer) {
    vkDestroyBuffer(device, buffer, null);
  }

  @Override
  public Needs needs(VkDevice device, long buffer) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkMemoryRequirements needs = VkMemoryRequirements.malloc(stack);
      vkGetBufferMemoryRequirements(device, buffer, needs);
      return new Needs(needs.size(), needs.alignment(), needs.memoryTypeBits());
    }
  }

  @Override
  public long allocate(VkDevice device, long size, int type) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkMemoryAllocateInfo info =
          VkMemoryAllocateInfo.calloc(stack)
              .sType$Default()
              .allocationSize(size)
              .memoryTypeIndex(type);
      LongBuffer handle = stack.mallocLong(1);
      check("vkAllocateMemory", vkAllocateMemory(device, info, null, handle));
      return handle.get(0);
    }
  }

  @Override
  public void free(VkDevice device, long memory) {
    vkFreeMemory(device, memory, null);
  }

  @Override
  public void bind(VkDevice device, long buffer, long memory, long offset) {
    check("vkBindBufferMemory", vkBindBufferMemory(device, buffer, memory, offset));
  }

  @Override
  public long map(VkDevice device, long memory) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      PointerBuffer address = stack.mallocPointer(1);
      check("vkMapMemory", vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, address));
      return address.get(0);
    }
  }

  @Override
  public void flush(VkDevice device, long memory, long offset, long size) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      check(
          "vkFlushMappedMemoryRanges",
          vkFlushMappedMemoryRanges(device, range(stack, memory, offset, size)));
    }
  }

  @Override
  public void invalidate(VkDevice device, long memory, long offset, long size) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      check(
          "vkInvalidateMappedMemoryRanges",
          vkInvalidateMappedMemoryRanges(device, range(stack, memory, offset, size)));
    }
  }

  private static VkMappedMemoryRange range(MemoryStack stack, long memory, long offset, long size) {
    return VkMappedMemoryRange.calloc(stack)
        .sType$Default()
        .memory(memory)
        .offset(offset)
        .size(size);
  }

  @Override
  public long createTimeline(VkDevice device) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkSemaphoreTypeCreateInfo type =
          VkSemaphoreTypeCreateInfo.calloc(stack)
              .sType$Default()
              .semaphoreType(VK12.VK_SEMAPHORE_TYPE_TIMELINE);
      VkSemaphoreCreateInfo info = VkSemaphoreCreateInfo.calloc(stack).sType$Default().pNext(type);
      LongBuffer handle = stack.mallocLong(1);
      check("vkCreateSemaphore", vkCreateSemaphore(device, info, null, handle));
      return handle.get(0);
    }
  }

  @Override
  public void destroyTimeline(VkDevice device, long semaphore) {
    vkDestroySemaphore(device, semaphore, null);
  }

  @Override
  public long value(VkDevice device, long semaphore) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      LongBuffer value = stack.mallocLong(1);
      check(
          "vkGetSemaphoreCounterValue", VK12.vkGetSemaphoreCounterValue(device, semaphore, value));
      return value.get(0);
    }
  }

  @Override
  public void await(VkDevice device, long semaphore, long value) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkSemaphoreWaitInfo info =
          VkSemaphoreWaitInfo.calloc(stack)
              .sType$Default()
              .semaphoreCount(1)
              .pSemaphores(stack.longs(semaphore))
              .pValues(stack.longs(value));
      check("vkWaitSemaphores", VK12.vkWaitSemaphores(device, info, -1L));
    }
  }

  @Override
  public long createPool(VkDevice device, int family) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkCommandPoolCreateInfo info =
          VkCommandPoolCreateInfo.calloc(stack)
              .sType$Default()
              .flags(VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT)
              .queueFamilyIndex(family);
      LongBuffer handle = stack.mallocLong(1);
      check("vkCreateCommandPool", vkCreateCommandPool(device, info, null, handle));
      return handle.get(0);
    }
  }

  @Override
  public void destroyPool(VkDevice device, long pool) {
    vkDestroyCommandPool(device, pool, null);
  }

  @Override
  public VkCommandBuffer commandBuffer(VkDevice device, long pool) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkCommandBufferAllocateInfo info =
          VkCommandBufferAllocateInfo.calloc(stack)
              .sType$Default()
              .commandPool(pool)
              .level(VK_COMMAND_BUFFER_LEVEL_PRIMARY)
              .commandBufferCount(1);
      PointerBuffer handle = stack.mallocPointer(1);
      check("vkAllocateCommandBuffers", vkAllocateCommandBuffers(device, info, handle));
      return new VkCommandBuffer(handle.get(0), device);
    }
  }

  @Override
  public void begin(VkCommandBuffer commands) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkCommandBufferBeginInfo info =
          VkCommandBufferBeginInfo.calloc(stack)
              .sType$Default()
              .flags(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
      check("vkBeginCommandBuffer", vkBeginCommandBuffer(commands, info));
    }
  }

  @Override
  public void end(VkCommandBuffer commands) {
    check("vkEndCommandBuffer", vkEndCommandBuffer(commands));
  }

  @Override
  public void barrier(VkCommandBuffer commands) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkMemoryBarrier.Buffer barrier = VkMemoryBarrier.calloc(1, stack);
      barrier
          .get(0)
          .sType$Default()
          .srcAccessMask(VK_ACCESS_MEMORY_WRITE_BIT)
          .dstAccessMask(
              VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
      vkCmdPipelineBarrier(
          commands,
          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
          0,
          barrier,
          null,
          null);
    }
  }

  @Override
  public void copy(
      VkCommandBuffer commands,
      long source,
      long sourceOffset,
      long target,
      long targetOffset,
      long size) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      VkBufferCopy.Buffer region = VkBufferCopy.calloc(1, stack);
      region.get(0).srcOffset(sourceOffset).dstOffset(targetOffset).size(size);
      vkCmdCopyBuffer(commands, source, target, region);
    }
  }

  @Override
  public void fill(VkCommandBuffer commands, long target, long offset, long size, int value) {
    vkCmdFillBuffer(commands, target, offset, size, value);
  }

  @Override
  public void submit(
      VkQueue queue, @Nullable VkCommandBuffer commands, List<Point> waits, Point signal) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      LongBuffer semaphores = stack.mallocLong(waits.size());
      LongBuffer values = stack.mallocLong(waits.size());
      IntBuffer stages = stack.mallocInt(waits.size());
      for (int i = 0; i < waits.size(); i++) {
        semaphores.put(i, waits.get(i).semaphore());
        values.put(i, waits.get(i).value());
        stages.put(i, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
      }
      VkTimelineSemaphoreSubmitInfo timelines =
          VkTimelineSemaphoreSubmitInfo.calloc(stack)
              .sType$Default()
              .waitSemaphoreValueCount(waits.size())
              .pWaitSemaphoreValues(values)
              .signalSemaphoreValueCount(1)
              .pSignalSemaphoreValues(stack.longs(signal.value()));
      VkSubmitInfo info =
          VkSubmitInfo.calloc(stack)
              .sType$Default()
              .pNext(timelines)
              .waitSemaphoreCount(waits.size())
              .pWaitSemaphores(semaphores)
              .pWaitDstStageMask(stages)
              .pSignalSemaphores(stack.longs(signal.semaphore()));
      if (commands != null) info.pCommandBuffers(stack.pointers(commands));
      check("vkQueueSubmit", vkQueueSubmit(queue, info, VK_NULL_HANDLE));
    }
  }

  @Override
  public void awaitIdle(VkQueue queue) {
    check("vkQueueWaitIdle", vkQueueWaitIdle(queue));
  }
}
