package dev.quarry.model;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// First fit: pages in order, and in a page its gaps in order.
final class NaiveSlicedPool extends NaivePool {
  private static final long MOST_PAGES = 65_535;

  private final PoolSpec.Sliced spec;
  private final long pageSize;
  private final long maxSliceSize;

  NaiveSlicedPool(int position, PoolSpec.Sliced spec, NaiveMemory memory) {
    super(position, memory);
    this.spec = spec;
    this.pageSize = spec.pageSize();
    this.maxSliceSize = Math.min(spec.maxSliceSize().orElse(pageSize), pageSize);
  }

  private record Gap(NaivePage page, long offset, long length) {}

  private OptionalLong maxPages() {
    if (spec.maxPoolSize().isEmpty()) return OptionalLong.empty();
    return OptionalLong.of(Math.min(spec.maxPoolSize().getAsLong() / pageSize, MOST_PAGES));
  }

  @Override
  boolean accepts(long size) {
    if (size <= maxSliceSize) return true;
    return maxPages().isEmpty() && size <= pageSize && leavesLessThanAFifth(pageSize - size);
  }

  /// Strictly less; and five times the unused bytes may be more than a long counts.
  private boolean leavesLessThanAFifth(long unused) {
    return unused <= Long.MAX_VALUE / 5 && 5 * unused < pageSize;
  }

  private List<Gap> gaps() {
    List<Gap> gaps = new ArrayList<>();
    for (NaivePage page : pages) {
      long end = 0;
      List<NaiveAllocation> inOrder = new ArrayList<>(page.allocations);
      inOrder.removeIf(allocation -> allocation.size == 0);
      inOrder.sort(Comparator.comparingLong(allocation -> allocation.offset));
      for (NaiveAllocation each : inOrder) {
        if (each.offset > end) gaps.add(new Gap(page, end, each.offset - end));
        end = each.offset + padded(each.size);
      }
      if (end < pageSize) gaps.add(new Gap(page, end, pageSize - end));
    }
    return gaps;
  }

  @Override
  @Nullable NaiveAllocation tryReserve(long size) {
    for (Gap gap : gaps()) {
      if (gap.length >= padded(size)) return put(gap.page, gap.offset, size);
    }
    return size == 0 && !pages.isEmpty() ? put(pages.getFirst(), 0, 0) : null;
  }

  @Override
  NaiveAllocation grow(long size, Mapping mapping) {
    if (maxPages().isPresent() && pages.size() >= maxPages().getAsLong()) {
      throw new MemoryException(
          new MemoryFailure.PoolCapacityExceeded(
              size, maxPages().getAsLong() * pageSize, usage().bytesInUse()));
    }
    NaivePage page = newPage(pageSize, mapping);
    pages.add(page);
    notePeak();
    return put(page, 0, size);
  }

  @Override
  void cleanUp(boolean explicit, long reservations) {
    if (explicit) dropAll(pages.stream().filter(NaivePage::isEmpty).toList());
  }

  @Override
  PoolSpec.Sliced kind() {
    OptionalLong cap =
        maxPages().isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(maxPages().getAsLong() * pageSize);
    return new PoolSpec.Sliced(pageSize, OptionalLong.of(maxSliceSize), cap, spec.deallocPeriod());
  }

  @Override
  long largestFree() {
    return gaps().stream().mapToLong(Gap::length).max().orElse(0);
  }
}
