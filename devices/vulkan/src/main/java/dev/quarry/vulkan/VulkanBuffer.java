package dev.quarry.vulkan;

/// A `VkBuffer` of its own over a window, for shaders and commands that take a buffer and no
/// offset, or another usage. Closing it destroys it; closing again does nothing.
///
/// Threads: single-owner.
public final class VulkanBuffer implements AutoCloseable {
  private final OpenDevice device;
  private final long handle;
  private boolean closed;

  VulkanBuffer(OpenDevice device, long handle) {
    this.device = device;
    this.handle = handle;
  }

  /// The `VkBuffer`.
  public long handle() {
    return handle;
  }

  /// Must wait until no command uses the buffer.
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    device.vk().destroyBuffer(device.handle(), handle);
  }
}
