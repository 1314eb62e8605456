package dev.quarry.report;

import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutError;
import dev.quarry.layout.PoolSpec;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Every pool of a memory, at one moment. Immutable.
///
/// @param name the memory's name
/// @param pools the layout's pools in routing order
/// @param persistent the persistent pool
public record MemoryReport(String name, List<PoolReport> pools, PoolReport persistent) {
  /// The pool number by which events and placements name the persistent pool.
  public static final int PERSISTENT = 255;

  /// Copies the list.
  public MemoryReport {
    pools = List.copyOf(pools);
  }

  /// The sum over all pools.
  public MemoryUsage usage() {
    return Stream.concat(pools.stream(), Stream.of(persistent))
        .map(PoolReport::usage)
        .reduce(MemoryUsage.NONE, MemoryUsage::plus);
  }

  /// The layout this report is a measurement for: the same work, begun on empty pools, fits it and
  /// is placed alike.
  ///
  /// Every sliced pool is capped at its peak. Pools that never held a page are left out, since the
  /// work never reached them. Three kinds of pool keep their growth: exclusive and direct pools
  /// have no cap; a sliced pool that served requests above its `maxSliceSize` did so by the
  /// near-page rule, which holds only without a cap; and one that held more than
  /// [LayoutError#MAX_PAGES] pages has more than a cap may allow.
  ///
  /// One exception: a preset's slice limit need not be a multiple of the device's alignment, and
  /// resolving this layout rounds it up. A request between the two then goes to an earlier pool
  /// than it did, which may refuse it. Where presets' limits are multiples of the alignment, as on
  /// the host, and in layouts of listed pools, this can not happen.
  ///
  /// @throws IllegalStateException when no pool has held a page, so that nothing was measured
  public Layout cappedLayout() {
    PoolSpec[] measured =
        pools.stream().map(MemoryReport::capped).filter(Objects::nonNull).toArray(PoolSpec[]::new);
    if (measured.length == 0) {
      throw new IllegalStateException(
          "no pool of " + name + " has held a page: run the work before asking for its layout");
    }
    return Layout.of(measured);
  }

  private static @Nullable PoolSpec capped(PoolReport pool) {
    if (pool.pagesPeak() == 0 || !(pool.spec() instanceof PoolSpec spec)) return null;
    if (!(spec instanceof PoolSpec.Sliced(long page, OptionalLong slice, _, OptionalLong period)))
      return spec;
    if (pool.largestAlloc() > slice.orElse(page)) return spec;
    if (pool.pagesPeak() > LayoutError.MAX_PAGES) return spec;
    return new PoolSpec.Sliced(page, slice, OptionalLong.of(page * pool.pagesPeak()), period);
  }

  /// A table for people, one row per pool.
  @Override
  public String toString() {
    return ReportText.of(this);
  }
}
