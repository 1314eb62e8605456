package dev.quarry.model;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.PoolKind;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A pool that answers every question by looking at all of its pages.
abstract sealed class NaivePool
    permits NaiveSlicedPool, NaiveExclusivePool, NaiveDirectPool, NaivePersistentPool {
  final int position;
  final NaiveMemory memory;

  /// Pages in the order of their numbers; null where a direct pool has a vacant place.
  final List<@Nullable NaivePage> pages = new ArrayList<>();

  private int pagesPeak;
  private long largestAlloc;

  NaivePool(int position, NaiveMemory memory) {
    this.position = position;
    this.memory = memory;
  }

  abstract boolean accepts(long size);

  /// From pages held already, or null.
  abstract @Nullable NaiveAllocation tryReserve(long size);

  /// From a new page. Throws with the failure when there is none.
  abstract NaiveAllocation grow(long size, Mapping mapping);

  /// Drops what may go: every empty page when explicit, else what the pool gives up by itself.
  abstract void cleanUp(boolean explicit, long reservations);

  abstract PoolKind kind();

  abstract long largestFree();

  final long padding(long size) {
    long over = size % memory.alignment();
    return over == 0 ? 0 : memory.alignment() - over;
  }

  final long padded(long size) {
    return size + padding(size);
  }

  final List<NaivePage> heldPages() {
    return pages.stream().filter(Objects::nonNull).toList();
  }

  final List<NaiveAllocation> live() {
    return heldPages().stream()
        .flatMap(page -> page.allocations.stream())
        .filter(allocation -> !allocation.isFree())
        .toList();
  }

  final NaiveAllocation put(NaivePage page, long offset, long size) {
    NaiveAllocation allocation = new NaiveAllocation(this, page, offset, size);
    page.allocations.add(allocation);
    page.latest = allocation;
    largestAlloc = Math.max(largestAlloc, size);
    return allocation;
  }

  /// A new page that is in no list yet.
  final NaivePage newPage(long size, Mapping mapping) {
    if (size > Long.MAX_VALUE - memory.bytesReserved())
      throw new MemoryException(new MemoryFailure.OutOfMemory(size));
    NaivePage page = new NaivePage(size);
    if (mapping == Mapping.EAGER) page.map(memory.storage);
    return page;
  }

  final void notePeak() {
    pagesPeak = Math.max(pagesPeak, heldPages().size());
  }

  /// Drops pages and closes the gaps they leave.
  final void dropAll(List<NaivePage> dropped) {
    dropped.forEach(page -> page.release(memory.storage));
    pages.removeAll(dropped);
  }

  final MemoryUsage usage() {
    MemoryUsage usage = MemoryUsage.NONE;
    for (NaiveAllocation each : live())
      usage = usage.plus(new MemoryUsage(1, each.size, padding(each.size), 0));
    for (NaivePage page : heldPages()) usage = usage.plus(new MemoryUsage(0, 0, 0, page.size));
    return usage;
  }

  final PoolReport report() {
    List<NaivePage> held = heldPages();
    int unmapped = (int) held.stream().filter(page -> !page.isMapped()).count();
    return new PoolReport(
        kind(), usage(), held.size(), pagesPeak, unmapped, largestAlloc, largestFree());
  }
}
