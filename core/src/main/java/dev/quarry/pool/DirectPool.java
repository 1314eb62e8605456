package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.Mapping;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One device allocation per request, of exactly its padded size, reused for requests of that size
/// only.
///
/// Pages sit in numbered places; a place whose page is gone stays vacant until a new page takes it,
/// the latest vacated first, so that no page ever changes its number. When a new page would lift
/// the bytes held above `reclaimAt`, free pages go first, from the lowest place up, until it would
/// not.
final class DirectPool extends Pool {
  private final OptionalLong reclaimAt;
  private final List<@Nullable Page> places = new ArrayList<>();
  private final ArrayDeque<Integer> vacant = new ArrayDeque<>();
  private final ExactSizes sizes = new ExactSizes();

  /// The places of free pages; which of them is lowest is asked only when pages go.
  private final BitSet free = new BitSet();

  DirectPool(int position, PoolSpec.Direct spec, Site site) {
    super(position, site);
    reclaimAt = spec.reclaimAt();
  }

  @Override
  boolean accepts(long size) {
    return true;
  }

  @Override
  long[] acceptanceChanges() {
    return new long[0];
  }

  @Override
  @Nullable Slice tryReserve(Object handle, long size) {
    Page page = sizes.takeFirst(padded(size));
    if (page == null) return null;
    free.clear(page.index);
    return handOutWhole(handle, page, size);
  }

  @Override
  Placed grow(Object handle, long size, Mapping mapping) {
    long need = padded(size);
    Page page;
    try {
      reclaimFor(need);
      page = addPage(need, mapping);
    } catch (MemoryException e) {
      return new Placed.Refused(e.failure());
    }
    if (vacant.isEmpty()) {
      page.index = places.size();
      places.add(page);
    } else {
      page.index = vacant.pop();
      places.set(page.index, page);
    }
    sizes.add(page);
    return handOutWhole(handle, page, size);
  }

  /// Flushes what it gave up before the new page is asked for, or the device would hold both.
  private void reclaimFor(long need) {
    if (reclaimAt.isEmpty()) return;
    long room = reclaimAt.getAsLong() - need;
    List<Page> dropped = new ArrayList<>();
    long held = bytesReserved();
    for (int place = free.nextSetBit(0);
        place >= 0 && held > room;
        place = free.nextSetBit(place + 1)) {
      Page page = places.get(place);
      assert page != null : "a free place has its page";
      held -= page.size;
      dropped.add(page);
    }
    if (dropped.isEmpty()) return;
    drop(dropped);
    backing.flushIfNeeded();
  }

  private void drop(List<Page> dropped) {
    for (Page page : dropped) {
      free.clear(page.index);
      sizes.remove(page);
      places.set(page.index, null);
      vacant.push(page.index);
    }
    dropPages(dropped);
  }

  @Override
  void takeBack(Slice slice) {
    retire(slice);
    sizes.give(slice.page);
    free.set(slice.page.index);
  }

  @Override
  void cleanUp(long reservations) {
    List<Page> dropped = new ArrayList<>();
    for (int place = free.nextSetBit(0); place >= 0; place = free.nextSetBit(place + 1))
      dropped.add(places.get(place));
    drop(dropped);
  }

  @Override
  void forEachLive(Consumer<Slice> action) {
    forEachLiveOn(places, action);
  }

  @Override
  PoolSpec.Direct kind() {
    return new PoolSpec.Direct(reclaimAt);
  }
}
