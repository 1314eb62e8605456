package dev.quarry.plan;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.Preset;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayOptions;
import dev.quarry.replay.ReplayResult;
import dev.quarry.size.Alignment;
import dev.quarry.trace.Trace;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/// Tries the layouts that need no knowledge of the work but its sizes, and plans the one that
/// reserves least: arenas, which are single sliced pools, of a dozen page sizes; the presets; and
/// the direct pool.
///
/// How many pages an arena needs falls in steps as pages grow, so right after a step it reserves
/// least. The search tries page sizes that divide LOAD evenly, then narrows the best one down
/// between "fits in this many pages" and "does not". About twenty replays in all. No page exceeds
/// what the device allows, unless one request alone does.
public final class ArenaSearch implements Planner {
  private static final int[] PAGE_COUNTS = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  private static final int NARROWING_STEPS = 6;
  private static final long BOUNDLESS_PAGE = 1L << 61;

  private final ObjLongConsumer<String> progress;

  /// A search that reports to nobody.
  public ArenaSearch() {
    this((layout, position) -> {});
  }

  /// A search that tells what it is trying and how far into the trace it is.
  public ArenaSearch(ObjLongConsumer<String> progress) {
    this.progress = progress;
  }

  /// A layout that was tried.
  private record Tried(Layout layout, ReplayResult result) {}

  /// @throws PlanException when no layout serves the work, or the trace allocates nothing
  @Override
  public Plan plan(Trace trace, DeviceProperties device) {
    Tried best = null;
    for (Layout layout : candidates(trace, device))
      best = better(best, tryLayout(trace, layout, device));
    if (best == null)
      throw PlanException.ofWork(trace.name() + ": no layout serves every request of the work");
    Layout measured = narrowed(trace, best, device).result.report().cappedLayout();
    return new PeakPlanner(measured, position -> progress.accept("confirming", position))
        .confirm(trace, measured, device);
  }

  private Set<Layout> candidates(Trace trace, DeviceProperties device) {
    Set<Layout> layouts = new LinkedHashSet<>();
    if (!device.exclusiveOnly()) {
      for (long page : pageSizes(trace, device)) layouts.add(Layout.of(PoolSpec.sliced(page)));
      layouts.add(Preset.SUB_SLICES);
    }
    layouts.add(Preset.EXCLUSIVE_PAGES);
    layouts.add(Layout.of(PoolSpec.direct()));
    return layouts;
  }

  private List<Long> pageSizes(Trace trace, DeviceProperties device) {
    Alignment alignment = new Alignment(device.alignment());
    ReplayResult boundless =
        replay(trace, Layout.of(PoolSpec.sliced(alignment.down(BOUNDLESS_PAGE))), device);
    if (boundless.allocations() == 0) throw PlanException.nothingToPlan(trace);
    long smallest = Math.max(1, boundless.report().pools().getFirst().largestAlloc());
    long largest = Math.max(device.maxPageSize(), alignment.up(smallest));
    List<Long> sizes = new ArrayList<>();
    sizes.add(boundless.firstPageEnd());
    sizes.add(alignment.down(device.maxPageSize()));
    for (int pages : PAGE_COUNTS)
      sizes.add(Math.max(smallest, Math.ceilDiv(boundless.load(), pages)));
    return sizes.stream()
        .map(alignment::up)
        .filter(size -> size >= smallest && size <= largest)
        .toList();
  }

  private @Nullable Tried tryLayout(Trace trace, Layout layout, DeviceProperties device) {
    ReplayResult result = replay(trace, layout, device);
    return result.refusals() > 0 ? null : new Tried(layout, result);
  }

  private static @Nullable Tried better(@Nullable Tried best, @Nullable Tried other) {
    if (best == null || other == null) return best == null ? other : best;
    return other.result.reservedPeak() < best.result.reservedPeak() ? other : best;
  }

  /// Shrinks the pages of an arena for as long as the work still fits in as many of them.
  private Tried narrowed(Trace trace, Tried best, DeviceProperties device) {
    if (!(best.layout instanceof Layout.Explicit(List<PoolSpec> pools))
        || !(pools.getFirst() instanceof PoolSpec.Sliced arena)) {
      return best;
    }
    int pages = best.result.report().pools().getFirst().pagesPeak();
    long tooSmall =
        Math.max(best.result.report().pools().getFirst().largestAlloc(), best.result.load() / pages)
            - 1;
    long fits = arena.pageSize();
    Tried narrowest = best;
    for (int step = 0; step < NARROWING_STEPS && fits - tooSmall > device.alignment(); step++) {
      long page = new Alignment(device.alignment()).up(tooSmall + (fits - tooSmall) / 2);
      if (page >= fits) break;
      Tried tried = tryLayout(trace, Layout.of(PoolSpec.sliced(page, page * pages)), device);
      if (tried == null) {
        tooSmall = page;
      } else {
        narrowest = tried;
        fits = page;
      }
    }
    return narrowest;
  }

  private ReplayResult replay(Trace trace, Layout layout, DeviceProperties device) {
    return Replay.of(
        trace,
        layout,
        device,
        ReplayOptions.DEFAULT.progress(
            position -> progress.accept("trying " + layout.text(), position)));
  }
}
