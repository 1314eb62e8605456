package dev.quarry.vulkan;

import java.lang.foreign.MemorySegment;

/// Mapped memory as segments.
final class Native {
  private Native() {}

  /// The bytes at an address of the driver's, which stays valid until the memory is freed.
  @SuppressWarnings("restricted")
  static MemorySegment segment(long address, long size) {
    return MemorySegment.ofAddress(address).reinterpret(size);
  }
}
