package dev.quarry.vulkan;

import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.lwjgl.vulkan.EXTDebugUtils.*;

import dev.quarry.storage.StorageProvider.Availability;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.vulkan.EXTValidationFeatures;
import org.lwjgl.vulkan.VK10;
import org.lwjgl.vulkan.VkDebugUtilsMessengerCallbackDataEXT;
import org.lwjgl.vulkan.VkDebugUtilsMessengerCallbackEXT;
import org.lwjgl.vulkan.VkDebugUtilsMessengerCreateInfoEXT;
import org.lwjgl.vulkan.VkInstance;
import org.lwjgl.vulkan.VkInstanceCreateInfo;
import org.lwjgl.vulkan.VkLayerProperties;
import org.lwjgl.vulkan.VkValidationFeaturesEXT;

/// Vulkan with the validation layer, which must have nothing to say.
final class ValidatedVulkan extends LwjglVulkan {
  private static final String LAYER = "VK_LAYER_KHRONOS_validation";

  /// What the layer said, warnings and errors.
  final List<String> messages = new CopyOnWriteArrayList<>();

  private long messenger;

  private final VkDebugUtilsMessengerCallbackEXT callback =
      VkDebugUtilsMessengerCallbackEXT.create(
          (_, _, data, _) -> {
            messages.add(VkDebugUtilsMessengerCallbackDataEXT.create(data).pMessageString());
            return VK10.VK_FALSE;
          });

  /// Skips the test where there is no Vulkan, and says why.
  static void orSkip() {
    Availability found = new VulkanProvider().probe();
    assumeTrue(found instanceof Availability.Available, () -> "Vulkan: " + found);
    assumeTrue(hasLayer(), "Vulkan: the validation layer is not installed");
  }

  private static boolean hasLayer() {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      IntBuffer count = stack.mallocInt(1);
      VK10.vkEnumerateInstanceLayerProperties(count, null);
      try (VkLayerProperties.Buffer layers = VkLayerProperties.malloc(count.get(0))) {
        VK10.vkEnumerateInstanceLayerProperties(count, layers);
        return layers.stream().anyMatch(layer -> layer.layerNameString().equals(LAYER));
      }
    }
  }

  @Override
  VkInstanceCreateInfo instanceInfo(MemoryStack stack) {
    VkValidationFeaturesEXT features =
        VkValidationFeaturesEXT.calloc(stack)
            .sType$Default()
            .pEnabledValidationFeatures(
                stack.ints(
                    EXTValidationFeatures
                        .VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT));
    return super.instanceInfo(stack)
        .pNext(features)
        .pNext(messengerInfo(stack))
        .ppEnabledLayerNames(stack.pointers(stack.UTF8(LAYER)))
        .ppEnabledExtensionNames(stack.pointers(stack.UTF8(VK_EXT_DEBUG_UTILS_EXTENSION_NAME)));
  }

  private VkDebugUtilsMessengerCreateInfoEXT messengerInfo(MemoryStack stack) {
    return VkDebugUtilsMessengerCreateInfoEXT.calloc(stack)
        .sType$Default()
        .messageSeverity(
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
                | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        .messageType(VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)
        .pfnUserCallback(callback);
  }

  @Override
  public VkInstance createInstance() {
    VkInstance instance = super.createInstance();
    try (MemoryStack stack = MemoryStack.stackPush()) {
      LongBuffer handle = stack.mallocLong(1);
      vkCreateDebugUtilsMessengerEXT(instance, messengerInfo(stack), null, handle);
      messenger = handle.get(0);
    }
    return instance;
  }

  @Override
  public void destroyInstance(VkInstance instance) {
    vkDestroyDebugUtilsMessengerEXT(instance, messenger, null);
    super.destroyInstance(instance);
  }
}
