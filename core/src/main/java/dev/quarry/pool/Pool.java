package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.layout.PoolKind;
import dev.quarry.report.MemoryEvent.PageAdded;
import dev.quarry.report.MemoryEvent.PageDropped;
import dev.quarry.report.MemoryEvent.PageMapped;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import dev.quarry.size.Alignment;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.StorageId;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One pool: takes requests of some sizes, serves them from pages it holds, and grows by further
/// pages.
///
/// The books every report is read from are running totals, kept here; where a slice is placed and
/// which page goes is each pool's own rule.
abstract sealed class Pool permits SlicedPool, ExclusivePool, DirectPool, PersistentPool {
  /// Its number in the layout, or that of the persistent pool.
  final int position;

  final Alignment alignment;
  final HandBack handBack;
  final Backing backing;
  private final IdSource ids;

  private long allocations;
  private long bytesInUse;
  private long bytesPadding;
  private long bytesReserved;
  private int pages;
  private int pagesPeak;
  private int pagesUnmapped;
  private long largestAlloc;

  Pool(int position, Site site) {
    this.position = position;
    this.alignment = site.alignment();
    this.handBack = site.handBack();
    this.backing = site.backing();
    this.ids = site.ids();
  }

  /// What the pools of one memory share.
  record Site(Alignment alignment, HandBack handBack, Backing backing, IdSource ids) {}

  /// Whether requests of this size belong here.
  abstract boolean accepts(long size);

  /// The sizes from which [#accepts] gives another answer than for one byte less. A negative one is
  /// past the range of sizes.
  abstract long[] acceptanceChanges();

  /// Serves a request from pages held already; null when there is no room in them. The handle is
  /// the first owner of what is reserved.
  abstract @Nullable Slice tryReserve(Object handle, long size);

  /// Serves a request from a new page. Called right after [#tryReserve] found no room.
  abstract Placed grow(Object handle, long size, Mapping mapping);

  /// Takes back a slice whose last owner is gone.
  abstract void takeBack(Slice slice);

  /// Gives up every page without a live slice.
  abstract void cleanUp(long reservations);

  /// Shows every live slice, in no particular order.
  abstract void forEachLive(Consumer<Slice> action);

  /// What a report says the pool is.
  abstract PoolKind kind();

  /// The longest free extent in bytes; 0 when there is none, and in pools that serve exact sizes
  /// only.
  long largestFree() {
    return 0;
  }

  /// The reservation count from which [#age] is due; never, for pools whose pages do not age.
  long ageDue() {
    return Long.MAX_VALUE;
  }

  /// Gives up pages that were not used for long. Called when due.
  void age(long reservations) {
    throw new IllegalStateException("the pages of this pool do not age");
  }

  /// The number of a page at this moment.
  int numberOf(Page page) {
    return page.index;
  }

  // The books.

  final long padded(long size) {
    return size + alignment.padding(size);
  }

  /// A new live allocation of this pool.
  final Slice handOut(Object handle, Page page, long offset, long size) {
    page.live++;
    countLive(size);
    largestAlloc = Math.max(largestAlloc, size);
    return new Slice(handle, ids.next(), page, offset, size);
  }

  /// A new live allocation that has a page of its own.
  final Slice handOutWhole(Object handle, Page page, long size) {
    Slice slice = handOut(handle, page, 0, size);
    page.slice = slice;
    return slice;
  }

  final void countLive(long size) {
    allocations++;
    bytesInUse += size;
    bytesPadding += alignment.padding(size);
  }

  final void retire(Slice slice) {
    slice.page.live--;
    slice.page.slice = null;
    allocations--;
    bytesInUse -= slice.bytes();
    bytesPadding -= alignment.padding(slice.bytes());
  }

  /// A new page, in the books.
  ///
  /// @throws MemoryException when there is none; the books are as before
  final Page addPage(long size, Mapping mapping) {
    Page page = backing.page(this, size, mapping);
    bytesReserved += size;
    pages++;
    pagesPeak = Math.max(pagesPeak, pages);
    if (!page.isMapped()) pagesUnmapped++;
    if (backing.isObserved()) backing.tell(new PageAdded(position, size, page.isMapped()));
    return page;
  }

  /// @throws MemoryException when the storage refuses; the page stays unmapped
  final StorageId map(Page page) {
    StorageId storage = backing.map(page);
    pagesUnmapped--;
    if (backing.isObserved()) backing.tell(new PageMapped(position, page.size));
    return storage;
  }

  /// Gives pages up that the pool's own structures have forgotten.
  final void dropPages(List<Page> dropped) {
    for (Page page : dropped) {
      bytesReserved -= page.size;
      pages--;
      if (!page.isMapped()) pagesUnmapped--;
      if (backing.isObserved()) backing.tell(new PageDropped(position, page.size, page.isMapped()));
    }
    backing.drop(dropped);
  }

  /// Shows the live slices of pages that hold one each.
  static void forEachLiveOn(Iterable<? extends @Nullable Page> pages, Consumer<Slice> action) {
    for (Page page : pages) {
      if (page != null && page.slice != null) action.accept(page.slice);
    }
  }

  final int pages() {
    return pages;
  }

  final long bytesInUse() {
    return bytesInUse;
  }

  final long bytesReserved() {
    return bytesReserved;
  }

  final long allocations() {
    return allocations;
  }

  final MemoryUsage usage() {
    return new MemoryUsage(allocations, bytesInUse, bytesPadding, bytesReserved);
  }

  final PoolReport report() {
    return new PoolReport(
        kind(), usage(), pages, pagesPeak, pagesUnmapped, largestAlloc, largestFree());
  }
}
