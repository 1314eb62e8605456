package dev.quarry.model;

import dev.quarry.Placement;

/// One allocation: where it lies, who owns it, and what claims it.
final class NaiveAllocation {
  final NaivePool pool;
  final NaivePage page;
  final long offset;
  final long size;
  final NaiveClaims claims = new NaiveClaims();
  int handles = 1;
  int bindings;

  /// What a test wrote into every byte of it; negative when nothing was written.
  int content = -1;

  NaiveAllocation(NaivePool pool, NaivePage page, long offset, long size) {
    this.pool = pool;
    this.page = page;
    this.offset = offset;
    this.size = size;
  }

  boolean isFree() {
    return handles + bindings == 0;
  }

  boolean canMut() {
    return handles <= 1;
  }

  Placement placement() {
    return new Placement(pool.position, pool.pages.indexOf(page), offset);
  }
}
