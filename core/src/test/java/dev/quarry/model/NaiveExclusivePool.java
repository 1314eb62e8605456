package dev.quarry.model;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One allocation per page; new pages are as large as requests are on average.
final class NaiveExclusivePool extends NaivePool {
  private final PoolSpec.Exclusive spec;
  private double average;
  private long lastCheck;

  NaiveExclusivePool(int position, PoolSpec.Exclusive spec, NaiveMemory memory) {
    super(position, memory);
    this.spec = spec;
    this.average = spec.maxAllocSize() / 2.0;
  }

  @Override
  boolean accepts(long size) {
    return size <= spec.maxAllocSize();
  }

  @Override
  @Nullable NaiveAllocation tryReserve(long size) {
    average = average * (1 - 0.01) + size * 0.01;
    NaivePage best = null;
    for (NaivePage page : pages) {
      if (!page.isEmpty() || page.size < size) continue;
      if (best == null || page.freeCount < best.freeCount) best = page;
    }
    if (best == null) return null;
    if (best.freeCount > 0) best.freeCount--;
    return put(best, 0, size);
  }

  @Override
  NaiveAllocation grow(long size, Mapping mapping) {
    if (size > spec.maxAllocSize()) throw new MemoryException(new MemoryFailure.BufferTooBig(size));
    NaivePage page = newPage(padded(Math.max((long) average, size)), Mapping.EAGER);
    pages.add(page);
    notePeak();
    return put(page, 0, size);
  }

  @Override
  void cleanUp(boolean explicit, long reservations) {
    boolean due =
        spec.deallocPeriod().isPresent()
            && reservations - lastCheck >= spec.deallocPeriod().getAsLong() / 5;
    if (!explicit && !due) return;
    lastCheck = reservations;
    List<NaivePage> dropped = new ArrayList<>();
    for (NaivePage page : pages) {
      if (!page.isEmpty()) continue;
      page.freeCount++;
      if (explicit || page.freeCount >= 5) dropped.add(page);
    }
    dropAll(dropped);
  }

  @Override
  PoolSpec.Exclusive kind() {
    return spec;
  }

  @Override
  long largestFree() {
    return pages.stream().filter(NaivePage::isEmpty).mapToLong(page -> page.size).max().orElse(0);
  }
}
