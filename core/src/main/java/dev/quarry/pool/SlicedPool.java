package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.PoolCapacityExceeded;
import dev.quarry.layout.LayoutError;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Pages of one size, cut into slices by first fit.
///
/// The bytes of all pages are numbered through: page number times page size plus offset.
/// [ExtentIndex] keeps the free ones; extents join their free neighbours within a page, so that
/// they are always maximal. An allocation takes its padded size, and gives exactly that back.
///
/// A slice of zero bytes takes none. It sits where the next slice would begin, and keeps its page.
final class SlicedPool extends Pool {
  private static final int UNCAPPED = Integer.MAX_VALUE;

  private final long pageSize;
  private final int pageSizeBits;
  private final long maxSliceSize;
  private final int maxPages;

  /// The smallest request that leaves less than a fifth of a page unused; beyond the page when
  /// there is a cap.
  private final long nearPage;

  private final OptionalLong deallocPeriod;

  private final List<Page> pages = new ArrayList<>();
  private ExtentIndex free = new ExtentIndex();
  private final LiveSlices live = new LiveSlices();

  SlicedPool(int position, PoolSpec.Sliced spec, Site site) {
    super(position, site);
    long page = alignment.up(spec.pageSize());
    long cap = spec.maxPoolSize().orElse(Long.MAX_VALUE);
    // No resolved layout caps a pool below its page; if one did, a smaller page would be the
    // sensible reading.
    if (cap < page) page = Math.max(alignment.down(cap), alignment.bytes());
    pageSize = page;
    pageSizeBits = Long.bitCount(page) == 1 ? Long.numberOfTrailingZeros(page) : -1;
    maxSliceSize = Math.min(spec.maxSliceSize().orElse(page), page);
    maxPages =
        spec.maxPoolSize().isEmpty() ? UNCAPPED : (int) Math.min(cap / page, LayoutError.MAX_PAGES);
    nearPage = maxPages == UNCAPPED ? page - (page - 1) / 5 : page + 1;
    deallocPeriod = spec.deallocPeriod();
  }

  /// A pool without a cap also takes requests that leave less than a fifth of a page unused: they
  /// would fit no smaller page, and a page of the next pool would be far too large for them.
  @Override
  boolean accepts(long size) {
    return size <= maxSliceSize || (size >= nearPage && size <= pageSize);
  }

  @Override
  long[] acceptanceChanges() {
    return new long[] {maxSliceSize + 1, nearPage, pageSize + 1};
  }

  @Override
  @Nullable Slice tryReserve(Object handle, long size) {
    long address = size == 0 ? addressOfNothing() : free.takeFront(padded(size));
    return address == ExtentIndex.NONE ? null : place(handle, address, size);
  }

  private long addressOfNothing() {
    if (!free.isEmpty()) return free.first();
    return pages.isEmpty() ? ExtentIndex.NONE : 0;
  }

  private Slice place(Object handle, long address, long size) {
    int number = (int) (pageSizeBits >= 0 ? address >>> pageSizeBits : address / pageSize);
    Slice slice = handOut(handle, pages.get(number), address - number * pageSize, size);
    live.add(slice);
    return slice;
  }

  @Override
  Placed grow(Object handle, long size, Mapping mapping) {
    if (pages.size() >= maxPages) {
      return new Placed.Refused(new PoolCapacityExceeded(size, maxPages * pageSize, bytesInUse()));
    }
    Page page;
    try {
      page = addPage(pageSize, mapping);
    } catch (MemoryException e) {
      return new Placed.Refused(e.failure());
    }
    page.index = pages.size();
    pages.add(page);
    long address = page.index * pageSize;
    long taken = padded(size);
    if (taken < pageSize) free.put(address + taken, pageSize - taken);
    return place(handle, address, size);
  }

  @Override
  void takeBack(Slice slice) {
    retire(slice);
    long length = padded(slice.bytes());
    if (length > 0) {
      long offset = slice.offset();
      free.give(
          slice.page.index * pageSize + offset, length, offset > 0, offset + length < pageSize);
    }
    live.remove(slice);
  }

  @Override
  void cleanUp(long reservations) {
    List<Page> dropped = new ArrayList<>();
    for (Page page : pages) {
      if (page.live == 0) dropped.add(page);
    }
    if (dropped.isEmpty()) return;
    int[] newNumber = new int[pages.size()];
    List<Page> kept = new ArrayList<>();
    for (Page page : pages) {
      newNumber[page.index] = kept.size();
      if (page.live > 0) kept.add(page);
    }
    renumberExtents(newNumber);
    pages.clear();
    pages.addAll(kept);
    for (int i = 0; i < kept.size(); i++) kept.get(i).index = i;
    dropPages(dropped);
  }

  /// Moves the extents of pages that stay to their new numbers, and forgets those of pages that go.
  private void renumberExtents(int[] newNumber) {
    ExtentIndex before = free;
    free = new ExtentIndex();
    before.forEach(
        (address, length) -> {
          int number = (int) (address / pageSize);
          if (pages.get(number).live > 0)
            free.put(address + (newNumber[number] - number) * pageSize, length);
        });
  }

  @Override
  void forEachLive(Consumer<Slice> action) {
    live.forEach(action);
  }

  @Override
  PoolSpec.Sliced kind() {
    OptionalLong cap =
        maxPages == UNCAPPED ? OptionalLong.empty() : OptionalLong.of(maxPages * pageSize);
    return new PoolSpec.Sliced(pageSize, OptionalLong.of(maxSliceSize), cap, deallocPeriod);
  }

  @Override
  long largestFree() {
    return Math.max(0, free.largest());
  }

  /// Checks that live slices and free extents together are exactly the pages, for tests and
  /// assertions.
  boolean isConsistent(List<Slice> live) {
    ExtentIndex all = new ExtentIndex();
    for (Slice slice : live) {
      long length = padded(slice.bytes());
      if (length > 0) all.put(slice.page.index * pageSize + slice.offset(), length);
    }
    free.forEach(all::put);
    long[] end = {0};
    boolean[] exact = {true};
    all.forEach(
        (address, length) -> {
          if (address != end[0]) exact[0] = false;
          end[0] = address + length;
        });
    return exact[0]
        && end[0] == pages.size() * pageSize
        && free.isConsistent()
        && all.isConsistent();
  }
}
