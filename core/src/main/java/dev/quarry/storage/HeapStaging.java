package dev.quarry.storage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Native memory by way of which a queue copies heap segments, which its driver can not reach: a
/// megabyte at a time, each done before the next. A copy that is refused may have moved its first
/// megabytes.
///
/// The memory is kept until this object is unreachable, since a device that no longer answers may
/// still use it.
///
/// Threads: single-owner.
public final class HeapStaging {
  private static final long SIZE = 1 << 20;

  private @Nullable MemorySegment memory;

  /// Takes no memory until it is used.
  public HeapStaging() {}

  /// A copy between native memory and a part of a resource that is done when it returns.
  public interface Step {
    /// Copies.
    ///
    /// @param staged native memory of the size of the part
    /// @param offset where the part starts, in bytes
    void copy(MemorySegment staged, long offset);
  }

  /// Copies a heap segment to a resource.
  public void write(MemorySegment source, Step step) {
    for (long at = 0; at < source.byteSize(); at += SIZE) {
      MemorySegment part = source.asSlice(at, Math.min(SIZE, source.byteSize() - at));
      step.copy(staged(part.byteSize()).copyFrom(part), at);
    }
  }

  /// Copies a resource to a heap segment.
  public void read(MemorySegment target, Step step) {
    for (long at = 0; at < target.byteSize(); at += SIZE) {
      MemorySegment part = target.asSlice(at, Math.min(SIZE, target.byteSize() - at));
      MemorySegment staged = staged(part.byteSize());
      step.copy(staged, at);
      part.copyFrom(staged);
    }
  }

  private MemorySegment staged(long size) {
    if (memory == null) memory = Arena.ofAuto().allocate(SIZE);
    return memory.asSlice(0, size);
  }
}
