package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
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
  private static final Comparator<Page> BY_ORDER = Comparator.comparingLong(page -> page.order);

  private final long maxAllocSize;
  private final OptionalLong deallocPeriod;
  private final long checkEvery;

  /// Pages held, in places that are used again; a page's place says nothing about its number.
  private final List<@Nullable Page> places = new ArrayList<>();

  private final ArrayDeque<Integer> vacant = new ArrayDeque<>();

  /// For each free count the free pages: the address is the order in which the page was made, the
  /// tag its place.
  private final ExtentIndex[] freeByCount = new ExtentIndex[FREE_COUNT_TO_LEAVE];

  private long pagesMade;
  private boolean numbersCurrent = true;
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
  long[] acceptanceChanges() {
    return new long[] {maxAllocSize + 1};
  }

  @Override
  @Nullable Slice tryReserve(Object handle, long size) {
    averageSize = averageSize * (1 - WEIGHT_OF_NEWEST) + size * WEIGHT_OF_NEWEST;
    for (int freeCount = 0; freeCount < FREE_COUNT_TO_LEAVE; freeCount++) {
      int place = freeByCount[freeCount].takeTagged(size);
      if (place < 0) continue;
      Page page = pageAt(place);
      page.freeCount = Math.max(0, freeCount - 1);
      return handOutWhole(handle, page, size);
    }
    return null;
  }

  /// Always maps now: a page is as good as its use, and the average that sizes it is no
  /// measurement.
  @Override
  Placed grow(Object handle, long size, Mapping mapping) {
    if (size > maxAllocSize) return new Placed.Refused(new BufferTooBig(size));
    Page page;
    try {
      page = addPage(alignment.up(Math.max((long) averageSize, size)), Mapping.EAGER);
    } catch (MemoryException e) {
      return new Placed.Refused(e.failure());
    }
    page.order = pagesMade++;
    page.freeCount = FREE_COUNT_OF_NEW_PAGE;
    page.place = vacant.isEmpty() ? places.size() : vacant.pop();
    if (page.place == places.size()) places.add(page);
    else places.set(page.place, page);
    page.index = pages() - 1;
    return handOutWhole(handle, page, size);
  }

  @Override
  void takeBack(Slice slice) {
    retire(slice);
    Page page = slice.page;
    freeByCount[page.freeCount].put(page.order, page.size, page.place);
  }

  private Page pageAt(int place) {
    return Objects.requireNonNull(places.get(place));
  }

  @Override
  long ageDue() {
    return checkEvery > Long.MAX_VALUE - lastCheck ? Long.MAX_VALUE : lastCheck + checkEvery;
  }

  /// Every free page was free once more: the whole set of each count moves to the next, and that of
  /// the last one leaves.
  @Override
  void age(long reservations) {
    lastCheck = reservations;
    ExtentIndex leaving = freeByCount[FREE_COUNT_TO_LEAVE - 1];
    System.arraycopy(freeByCount, 0, freeByCount, 1, FREE_COUNT_TO_LEAVE - 1);
    freeByCount[0] = leaving;
    drop(List.of(leaving));
  }

  @Override
  void cleanUp(long reservations) {
    lastCheck = reservations;
    drop(List.of(freeByCount));
  }

  private void drop(List<ExtentIndex> leaving) {
    List<Page> dropped = new ArrayList<>();
    for (ExtentIndex free : leaving) {
      for (int place = free.takeTagged(0); place >= 0; place = free.takeTagged(0)) {
        dropped.add(pageAt(place));
        places.set(place, null);
        vacant.push(place);
      }
    }
    if (dropped.isEmpty()) return;
    dropped.sort(BY_ORDER);
    numbersCurrent = false;
    dropPages(dropped);
  }

  /// A new page is the last one. When pages have left, numbers are counted out once somebody asks,
  /// which only listeners and placements do.
  @Override
  int numberOf(Page page) {
    if (!numbersCurrent) {
      List<Page> inOrder = places.stream().filter(Objects::nonNull).sorted(BY_ORDER).toList();
      for (int i = 0; i < inOrder.size(); i++) inOrder.get(i).index = i;
      numbersCurrent = true;
    }
    return page.index;
  }

  @Override
  void forEachLive(Consumer<Slice> action) {
    forEachLiveOn(places, action);
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
