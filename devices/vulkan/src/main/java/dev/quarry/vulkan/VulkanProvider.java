package dev.quarry.vulkan;

import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lwjgl.vulkan.VkInstance;

/// Offers the Vulkan devices, numbered in the order in which the loader lists them.
public final class VulkanProvider implements StorageProvider {
  /// Made by the service loader.
  public VulkanProvider() {}

  @Override
  public String name() {
    return "vulkan";
  }

  @Override
  public Availability probe() {
    try {
      return probe(LwjglVulkan.load());
    } catch (UnsupportedOperationException e) {
      return new Availability.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  static Availability probe(Vulkan vk) {
    try {
      VkInstance instance = vk.createInstance();
      try {
        List<DeviceInfo> devices =
            vk.physicalDevices(instance).stream()
                .map(vk::describe)
                .map(device -> device.info(VulkanOptions.DEFAULT, leftOf(vk, device)))
                .toList();
        return devices.isEmpty()
            ? new Availability.Unavailable("no Vulkan driver of this machine has a device")
            : new Availability.Available(devices);
      } finally {
        vk.destroyInstance(instance);
      }
    } catch (VulkanException e) {
      return new Availability.Unavailable(e.getMessage());
    }
  }

  /// Null where the driver does not say.
  static @Nullable List<Long> leftOf(Vulkan vk, PhysicalDevice device) {
    return device.budgets() ? vk.left(device.handle()) : null;
  }

  @Override
  public Storage<?> open(int device) {
    return VulkanStorage.open(device);
  }
}
