package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// One allocation per page. New pages are as large as requests have lately been on average, so that
/// they can serve the next request too; pages that stay unused age, and leave.
///
/// A page's *free count* says how often it was found free at a check, less how often it was reused;
/// at five it leaves. The page reused first is the one with the smallest count, and among those the
/// first; so the most useful pages stay in use and the rest age. Free pages are kept by count, in
/// the order of their numbers.
final class ExclusivePool extends Pool {
  private static final double WEIGHT_OF_NEWEST = 0.01;
  private static final int FREE_COUNT_OF_NEW_PAGE = 4;
  private static final int FREE_COUNT_TO_LEAVE = 5;
  private static final int CHECKS_PER_PERIOD = 5;

  private final long maxAllocSize;
  private final OptionalLong deallocPeriod;
  private final long checkEvery;

  private final List<Page> pages = new ArrayList<>();
  private final ExtentIndex[] freeByCount = new ExtentIndex[FREE_COUNT_TO_LEAVE];
  private double averageSize;
  private long lastCheck;

  ExclusivePool(int position, PoolSpec.Exclusive spec, Site site) {
    super(position, site);
    maxAllocSize = alignment.up(spec.maxAllocSize());
    deallocPeriod = spec.deallocPeriod();
    checkEvery = deallocPeriod.orElse(Long.MAX_VALUE) / CHECKS_PER_PERIOD;
    averageSize = maxAllocSize / 2.0;
    for (int i = 0; i < freeByCount.length; i++) freeByCount[i] = new ExtentIndex();
  }

  @Override
  boolean accepts(long size) {
    return size <= maxAllocSize;
  }

  @Override
  @Nullable Slice tryReserve(long size) {
    averageSize = averageSize * (1 - WEIGHT_OF_NEWEST) + size * WEIGHT_OF_NEWEST;
    for (ExtentIndex free : freeByCount) {
      long number = free.isEmpty() ? ExtentIndex.NONE : free.takeWhole(size);
      if (number == ExtentIndex.NONE) continue;
      Page page = pages.get((int) number);
      page.freeCount = Math.max(0, page.freeCount - 1);
      return handOutWhole(page, size);
    }
    return null;
  }

  /// Always maps now: a page is as good as its use, and the average that sizes it is no
  /// measurement.
  @Override
  Placed grow(long size, Mapping mapping) {
    if (size > maxAllocSize) return new Placed.Refused(new BufferTooBig(size));
    Page page;
    try {
      page = addPage(alignment.up(Math.max((long) averageSize, size)), Mapping.EAGER);
    } catch (MemoryException e) {
      return new Placed.Refused(e.failure());
    }
    page.index = pages.size();
    page.freeCount = FREE_COUNT_OF_NEW_PAGE;
    pages.add(page);
    return handOutWhole(page, size);
  }

  @Override
  void takeBack(Slice slice) {
    retire(slice);
    Page page = slice.page;
    freeByCount[page.freeCount].put(page.index, page.size);
  }

  @Override
  long ageDue() {
    return checkEvery > Long.MAX_VALUE - lastCheck ? Long.MAX_VALUE : lastCheck + checkEvery;
  }

  @Override
  void age(long reservations) {
    lastCheck = reservations;
    for (Page page : pages) {
      if (page.live == 0) page.freeCount++;
    }
    dropFree(FREE_COUNT_TO_LEAVE);
  }

  @Override
  void cleanUp(long reservations) {
    lastCheck = reservations;
    dropFree(0);
  }

  private void dropFree(int fromCount) {
    List<Page> dropped = new ArrayList<>();
    List<Page> kept = new ArrayList<>();
    for (Page page : pages)
      (page.live == 0 && page.freeCount >= fromCount ? dropped : kept).add(page);
    pages.clear();
    pages.addAll(kept);
    for (ExtentIndex free : freeByCount) free.clear();
    for (int i = 0; i < kept.size(); i++) {
      Page page = kept.get(i);
      page.index = i;
      if (page.live == 0) freeByCount[page.freeCount].put(i, page.size);
    }
    dropPages(dropped);
  }

  @Override
  PoolSpec.Exclusive kind() {
    return new PoolSpec.Exclusive(maxAllocSize, deallocPeriod);
  }

  @Override
  long largestFree() {
    long largest = 0;
    for (ExtentIndex free : freeByCount) largest = Math.max(largest, free.largest());
    return largest;
  }
}
