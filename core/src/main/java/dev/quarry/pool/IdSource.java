package dev.quarry.pool;

import dev.quarry.failure.ErrorGraph;

/// Numbers allocations, in blocks taken from the device's graph, so that memories which share it
/// never give the same number and a reservation needs no shared counter.
final class IdSource {
  private static final long BLOCK = 1L << 32;

  private final ErrorGraph graph;
  private long next;
  private long end;

  IdSource(ErrorGraph graph) {
    this.graph = graph;
  }

  long next() {
    if (next == end) {
      next = graph.nextIdBlock();
      end = next + BLOCK;
    }
    return next++;
  }
}
