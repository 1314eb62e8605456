package dev.quarry.host;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.Closing;
import dev.quarry.storage.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;

/// The segment of an allocation, and the arena that ends it.
///
/// @param arena closed when the allocation is given back, which is final: what the kernel refuses
///   then can be tried again
/// @param segment all of the allocation
record Block(Arena arena, MemorySegment segment) {
  /// Opens the arena of a block, which is closed by [#end].
  @SuppressWarnings("MustBeClosedChecker")
  static Arena openArena() {
    return Arena.ofShared();
  }

  private boolean isEnded() {
    return !arena.scope().isAlive();
  }

  /// The window of a region that lies in this block.
  ///
  /// @throws MemoryException with [MemoryFailure.RegionNotFound] when the block is ended
  MemorySegment slice(Region region) {
    if (isEnded()) throw region.notFound();
    return segment.asSlice(region.offset(), region.size());
  }

  /// Ends blocks, each also when another is refused.
  ///
  /// @throws MemoryException the refusals of [#end] as one
  static void endAll(Collection<Block> blocks) {
    Closing closing = new Closing();
    for (Block block : blocks) closing.attempt(block::end);
    closing.report();
  }

  /// Ends every segment of the block. Ending it again does nothing.
  ///
  /// @throws MemoryException with [MemoryFailure.ReleaseFailed] while another thread is inside one
  void end() {
    if (isEnded()) return;
    try {
      arena.close();
    } catch (IllegalStateException e) {
      throw new MemoryException(new MemoryFailure.ReleaseFailed(String.valueOf(e.getMessage())), e);
    }
  }
}
