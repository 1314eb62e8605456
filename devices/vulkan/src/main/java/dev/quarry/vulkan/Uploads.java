package dev.quarry.vulkan;

import dev.quarry.failure.MemoryException;
import dev.quarry.vulkan.VulkanOptions.Use;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Host memory that a queue copies from: blocks that are filled from end to end and used again when
/// the commands that read them are done.
final class Uploads {
  /// The most bytes of one piece.
  static final long BLOCK = 1 << 20;

  private static final int MOST_BLOCKS = 8;

  private final OpenDevice device;
  private final ArrayDeque<Used> used = new ArrayDeque<>();
  private @Nullable VulkanMemory current;
  private long at;

  /// @param value when its queue reaches that, nothing reads the block any more
  private record Used(VulkanMemory block, long value) {}

  /// A piece of a block.
  record Piece(VulkanMemory block, long offset) {}

  /// What uploads need of their queue.
  interface Progress {
    /// The value that the queue reaches when everything put on it is done.
    long pending();

    boolean hasReached(long value);

    /// Hands everything to the device and waits for a value; what could not be handed over counts
    /// as done.
    void reach(long value);
  }

  Uploads(OpenDevice device) {
    this.device = device;
  }

  /// Copies host bytes to a block.
  ///
  /// @param source no more than [#BLOCK] bytes
  Piece put(MemorySegment source, Progress progress) {
    long size = source.byteSize();
    VulkanMemory block = current;
    if (block == null || at + size > BLOCK) {
      block = next(progress);
      current = block;
      at = 0;
    }
    Piece piece = new Piece(block, at);
    bytes(block).asSlice(at, size).copyFrom(source);
    device.flush(block, at, size);
    at += size;
    return piece;
  }

  private VulkanMemory next(Progress progress) {
    if (current != null) used.add(new Used(current, progress.pending()));
    current = null;
    Used oldest = used.peek();
    if (oldest == null) return make();
    if (!progress.hasReached(oldest.value())) {
      if (used.size() < MOST_BLOCKS) {
        try {
          return make();
        } catch (MemoryException e) {
          // Then with the blocks that there are.
        }
      }
      progress.reach(oldest.value());
    }
    return used.remove().block();
  }

  private VulkanMemory make() {
    return device.allocate(Use.UPLOAD, BLOCK, true);
  }

  /// The bytes of staging memory, which is always mapped.
  static MemorySegment bytes(VulkanMemory block) {
    MemorySegment bytes = block.mapped();
    if (bytes == null) throw new IllegalStateException("staging memory is not mapped");
    return bytes;
  }

  /// Frees the blocks, its queue having finished.
  void close() {
    if (current != null) device.free(current);
    current = null;
    used.forEach(each -> device.free(each.block()));
    used.clear();
  }
}
