package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.layout.PoolKind;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One device allocation per request, of exactly its padded size, for what outlives layouts:
/// weights, caches, captured graphs. Free pages are kept until an explicit cleanup and reused for
/// the same size, the oldest first.
final class PersistentPool extends Pool {
  private final List<Page> pages = new ArrayList<>();
  private final ExactSizes sizes = new ExactSizes();

  PersistentPool(int position, Site site) {
    super(position, site);
  }

  @Override
  boolean accepts(long size) {
    return true;
  }

  @Override
  long[] acceptanceChanges() {
    return new long[0];
  }

  /// Whether a page for requests of this size is held, free or live.
  boolean hasSize(long size) {
    return sizes.holds(padded(size));
  }

  @Override
  @Nullable Slice tryReserve(Object handle, long size) {
    Page page = sizes.takeFirst(padded(size));
    return page == null ? null : handOutWhole(handle, page, size);
  }

  @Override
  Placed grow(Object handle, long size, Mapping mapping) {
    Page page;
    try {
      page = addPage(padded(size), mapping);
    } catch (MemoryException e) {
      return new Placed.Refused(e.failure());
    }
    page.index = pages.size();
    pages.add(page);
    sizes.add(page);
    return handOutWhole(handle, page, size);
  }

  @Override
  void takeBack(Slice slice) {
    retire(slice);
    sizes.give(slice.page);
  }

  /// Gives the latest slice of each of these pages one handle more, live or not, so that nothing
  /// can reuse the page.
  ///
  /// @return the slices, in the order of their pages
  List<Slice> pin(Map<Page, Slice> latest) {
    List<Slice> pinned = new ArrayList<>();
    for (Page page : pages) {
      Slice slice = latest.get(page);
      if (slice == null) continue;
      if (!slice.acquire(Slice.HANDLE)) {
        sizes.take(page);
        slice.revive();
        page.live++;
        page.slice = slice;
        countLive(slice.bytes());
      }
      pinned.add(slice);
    }
    return pinned;
  }

  @Override
  void cleanUp(long reservations) {
    List<Page> dropped = new ArrayList<>();
    List<Page> kept = new ArrayList<>();
    for (Page page : pages) (page.live == 0 ? dropped : kept).add(page);
    dropped.forEach(sizes::remove);
    pages.clear();
    pages.addAll(kept);
    for (int i = 0; i < kept.size(); i++) kept.get(i).index = i;
    dropPages(dropped);
  }

  @Override
  void forEachLive(Consumer<Slice> action) {
    forEachLiveOn(pages, action);
  }

  @Override
  PoolKind.Persistent kind() {
    return new PoolKind.Persistent();
  }
}
