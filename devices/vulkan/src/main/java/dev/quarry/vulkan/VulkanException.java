package dev.quarry.vulkan;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import org.lwjgl.vulkan.VK10;

/// A call of Vulkan that was refused. Never leaves the package: storages and queues say what it
/// means for memory or for work.
final class VulkanException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  VulkanException(String call, int status) {
    super(call + " answered " + VulkanStatus.text(status));
    this.status = status;
  }

  boolean isOutOfMemory() {
    return VulkanStatus.isOutOfMemory(status);
  }

  /// Whether nothing runs on the device any more.
  boolean isDeviceLost() {
    return status == VK10.VK_ERROR_DEVICE_LOST;
  }

  boolean isTooManyObjects() {
    return status == VK10.VK_ERROR_TOO_MANY_OBJECTS;
  }

  /// As a refusal of memory.
  ///
  /// @param size the bytes asked for
  MemoryException ofMemory(long size) {
    return new MemoryException(
        isOutOfMemory()
            ? new MemoryFailure.OutOfMemory(size)
            : new MemoryFailure.Unknown(getMessage()),
        this);
  }

  /// As work that can not be done.
  ///
  /// @param size the bytes that the command touches
  WorkFailure failure(long size) {
    return isOutOfMemory()
        ? new WorkFailure.Memory(new MemoryFailure.OutOfMemory(size))
        : new WorkFailure.Generic(getMessage());
  }

  /// As work that can not be done.
  ///
  /// @param size the bytes that the command touches
  WorkException ofWork(long size) {
    return new WorkException(failure(size), this);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
