package dev.quarry.model;

import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// One device allocation per request, in places that never move; the place vacated last is taken
/// first.
final class NaiveDirectPool extends NaivePool {
  private final PoolSpec.Direct spec;
  private final Deque<Integer> vacant = new ArrayDeque<>();

  NaiveDirectPool(int position, PoolSpec.Direct spec, NaiveMemory memory) {
    super(position, memory);
    this.spec = spec;
  }

  @Override
  boolean accepts(long size) {
    return true;
  }

  @Override
  @Nullable NaiveAllocation tryReserve(long size) {
    for (NaivePage page : heldPages()) {
      if (page.isEmpty() && page.size == padded(size)) return put(page, 0, size);
    }
    return null;
  }

  @Override
  NaiveAllocation grow(long size, Mapping mapping) {
    long need = padded(size);
    reclaimFor(need);
    NaivePage page = newPage(need, mapping);
    if (vacant.isEmpty()) pages.add(page);
    else pages.set(vacant.pop(), page);
    notePeak();
    return put(page, 0, size);
  }

  private void reclaimFor(long need) {
    if (spec.reclaimAt().isEmpty()) return;
    boolean released = false;
    for (int place = 0; place < pages.size(); place++) {
      if (usage().bytesReserved() <= spec.reclaimAt().getAsLong() - need) break;
      released |= vacate(place);
    }
    if (released) memory.storage.flush();
  }

  /// Gives up a place, if what is there is free; says whether the storage got memory back.
  private boolean vacate(int place) {
    NaivePage page = pages.get(place);
    if (page == null || !page.isEmpty()) return false;
    boolean wasMapped = page.isMapped();
    page.release(memory.storage);
    pages.set(place, null);
    vacant.push(place);
    return wasMapped;
  }

  @Override
  void cleanUp(boolean explicit, long reservations) {
    if (!explicit) return;
    for (int place = 0; place < pages.size(); place++) vacate(place);
  }

  @Override
  PoolSpec.Direct kind() {
    return spec;
  }

  @Override
  long largestFree() {
    return 0;
  }
}
