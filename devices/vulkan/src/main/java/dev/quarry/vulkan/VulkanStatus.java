package dev.quarry.vulkan;

import static org.lwjgl.vulkan.VK10.*;

import org.lwjgl.vulkan.EXTDebugReport;
import org.lwjgl.vulkan.KHRSurface;
import org.lwjgl.vulkan.KHRSwapchain;
import org.lwjgl.vulkan.VK11;
import org.lwjgl.vulkan.VK12;
import org.lwjgl.vulkan.VK13;

/// The numbers by which Vulkan says why it refuses. Names are those of the Khronos headers.
final class VulkanStatus {
  private VulkanStatus() {}

  /// Whether other memory given back, or another heap, may help.
  static boolean isOutOfMemory(int status) {
    return status == VK_ERROR_OUT_OF_DEVICE_MEMORY
        || status == VK_ERROR_OUT_OF_HOST_MEMORY
        || status == VK_ERROR_OUT_OF_POOL_MEMORY
        || status == VK_ERROR_MEMORY_MAP_FAILED
        || status == VK_ERROR_FRAGMENTED_POOL;
  }

  private static final int VK_ERROR_OUT_OF_POOL_MEMORY = VK11.VK_ERROR_OUT_OF_POOL_MEMORY;

  /// Name and number.
  static String text(int status) {
    return name(status) + " (" + status + ")";
  }

  private static String name(int status) {
    return switch (status) {
      case VK_SUCCESS -> "VK_SUCCESS";
      case VK_NOT_READY -> "VK_NOT_READY";
      case VK_TIMEOUT -> "VK_TIMEOUT";
      case VK_EVENT_SET -> "VK_EVENT_SET";
      case VK_EVENT_RESET -> "VK_EVENT_RESET";
      case VK_INCOMPLETE -> "VK_INCOMPLETE";
      case VK_ERROR_OUT_OF_HOST_MEMORY -> "VK_ERROR_OUT_OF_HOST_MEMORY";
      case VK_ERROR_OUT_OF_DEVICE_MEMORY -> "VK_ERROR_OUT_OF_DEVICE_MEMORY";
      case VK_ERROR_INITIALIZATION_FAILED -> "VK_ERROR_INITIALIZATION_FAILED";
      case VK_ERROR_DEVICE_LOST -> "VK_ERROR_DEVICE_LOST";
      case VK_ERROR_MEMORY_MAP_FAILED -> "VK_ERROR_MEMORY_MAP_FAILED";
      case VK_ERROR_LAYER_NOT_PRESENT -> "VK_ERROR_LAYER_NOT_PRESENT";
      case VK_ERROR_EXTENSION_NOT_PRESENT -> "VK_ERROR_EXTENSION_NOT_PRESENT";
      case VK_ERROR_FEATURE_NOT_PRESENT -> "VK_ERROR_FEATURE_NOT_PRESENT";
      case VK_ERROR_INCOMPATIBLE_DRIVER -> "VK_ERROR_INCOMPATIBLE_DRIVER";
      case VK_ERROR_TOO_MANY_OBJECTS -> "VK_ERROR_TOO_MANY_OBJECTS";
      case VK_ERROR_FORMAT_NOT_SUPPORTED -> "VK_ERROR_FORMAT_NOT_SUPPORTED";
      case VK_ERROR_FRAGMENTED_POOL -> "VK_ERROR_FRAGMENTED_POOL";
      case VK_ERROR_UNKNOWN -> "VK_ERROR_UNKNOWN";
      case VK_ERROR_OUT_OF_POOL_MEMORY -> "VK_ERROR_OUT_OF_POOL_MEMORY";
      case VK11.VK_ERROR_INVALID_EXTERNAL_HANDLE -> "VK_ERROR_INVALID_EXTERNAL_HANDLE";
      case VK12.VK_ERROR_FRAGMENTATION -> "VK_ERROR_FRAGMENTATION";
      case VK12.VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS ->
          "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS";
      case VK13.VK_PIPELINE_COMPILE_REQUIRED -> "VK_PIPELINE_COMPILE_REQUIRED";
      case KHRSurface.VK_ERROR_SURFACE_LOST_KHR -> "VK_ERROR_SURFACE_LOST_KHR";
      case KHRSwapchain.VK_ERROR_OUT_OF_DATE_KHR -> "VK_ERROR_OUT_OF_DATE_KHR";
      case EXTDebugReport.VK_ERROR_VALIDATION_FAILED_EXT -> "VK_ERROR_VALIDATION_FAILED_EXT";
      default -> "an unknown status";
    };
  }
}
