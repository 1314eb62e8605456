package dev.quarry.model;

import dev.quarry.layout.PoolKind;
import dev.quarry.report.MemoryReport;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One device allocation per request, kept for the next request of its size.
final class NaivePersistentPool extends NaivePool {
  NaivePersistentPool(NaiveMemory memory) {
    super(MemoryReport.PERSISTENT, memory);
  }

  @Override
  boolean accepts(long size) {
    return true;
  }

  boolean hasSize(long size) {
    return pages.stream().anyMatch(page -> page.size == padded(size));
  }

  @Override
  @Nullable NaiveAllocation tryReserve(long size) {
    for (NaivePage page : pages) {
      if (page.isEmpty() && page.size == padded(size)) return put(page, 0, size);
    }
    return null;
  }

  @Override
  NaiveAllocation grow(long size, Mapping mapping) {
    NaivePage page = newPage(padded(size), mapping);
    pages.add(page);
    notePeak();
    return put(page, 0, size);
  }

  /// A further handle of each of these that is the latest on its page, in page order; what was free
  /// is live again.
  List<NaiveAllocation> pin(List<NaiveAllocation> touched) {
    List<NaiveAllocation> pinned = new ArrayList<>();
    for (NaivePage page : pages) {
      NaiveAllocation latest = page.latest;
      if (latest == null || !touched.contains(latest)) continue;
      if (page.isEmpty()) page.allocations.add(latest);
      latest.handles++;
      pinned.add(latest);
    }
    return pinned;
  }

  @Override
  void cleanUp(boolean explicit, long reservations) {
    if (explicit) dropAll(pages.stream().filter(NaivePage::isEmpty).toList());
  }

  @Override
  PoolKind kind() {
    return new PoolKind.Persistent();
  }

  @Override
  long largestFree() {
    return 0;
  }
}
