package dev.quarry.vulkan;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// A window of bytes inside an allocation. A shader gets it as buffer and offset. Immutable.
public final class VulkanWindow {
  private final VulkanMemory allocation;
  private final long offset;
  private final long size;

  VulkanWindow(VulkanMemory allocation, long offset, long size) {
    this.allocation = allocation;
    this.offset = offset;
    this.size = size;
  }

  VulkanMemory allocation() {
    return allocation;
  }

  /// The `VkBuffer` over the whole allocation; 0 for an allocation of no bytes.
  public long buffer() {
    return allocation.buffer();
  }

  /// The `VkDeviceMemory`, to bind buffers or images of the program's own to at [#offset]; 0 for an
  /// allocation of no bytes.
  public long memory() {
    return allocation.memory();
  }

  /// The memory type of the allocation.
  public int memoryType() {
    return allocation.type();
  }

  /// Where the window starts in the buffer and in the memory, in bytes.
  public long offset() {
    return offset;
  }

  /// The bytes in the window.
  public long size() {
    return size;
  }

  /// The window's bytes as the host sees them: present when the memory is mapped and coherent.
  /// Valid until the allocation is given back. Whoever uses it waits for the commands that do, too.
  public Optional<MemorySegment> mapped() {
    MemorySegment bytes = allocation.mapped();
    return bytes == null || !allocation.kind().isCoherent()
        ? Optional.empty()
        : Optional.of(bytes.asSlice(offset, size));
  }

  @Override
  public String toString() {
    return size + " bytes at " + offset + " of buffer 0x" + Long.toHexString(buffer());
  }
}
