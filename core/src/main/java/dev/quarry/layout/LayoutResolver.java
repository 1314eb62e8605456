package dev.quarry.layout;

import dev.quarry.layout.LayoutError.CapSmallerThanPage;
import dev.quarry.layout.LayoutError.EmptyPoolList;
import dev.quarry.layout.LayoutError.PresetUnavailable;
import dev.quarry.layout.LayoutError.SliceLargerThanPage;
import dev.quarry.layout.LayoutError.SlicedPoolsUnavailable;
import dev.quarry.layout.LayoutError.TooManyPages;
import dev.quarry.layout.LayoutError.TooManyPools;
import dev.quarry.layout.LayoutError.ZeroSize;
import dev.quarry.size.Alignment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Turns layouts into resolved ones. The order of checks is part of the contract: the first
/// problem, from the first pool on, is the one reported.
final class LayoutResolver {
  private static final long SMALLEST_BUCKET = 32 << 10;
  private static final int BUCKETS = 24;
  private static final long LADDER_END = 32 << 20;
  private static final double BASE_PERIOD = 5000;

  private final DeviceProperties properties;
  private final Alignment alignment;

  private LayoutResolver(DeviceProperties properties) {
    this.properties = properties;
    this.alignment = new Alignment(properties.alignment());
  }

  static ResolvedLayout resolve(Layout layout, DeviceProperties properties) {
    LayoutResolver resolver = new LayoutResolver(properties);
    return new ResolvedLayout(layout, properties, resolver.pools(layout));
  }

  private List<PoolSpec> pools(Layout layout) {
    return switch (layout) {
      case Preset preset -> preset(preset);
      case Layout.Explicit(List<PoolSpec> pools) -> explicit(pools);
    };
  }

  private List<PoolSpec> preset(Preset preset) {
    return switch (preset) {
      case SUB_SLICES -> {
        if (properties.exclusiveOnly())
          throw new LayoutException(new PresetUnavailable(preset.text()));
        yield ladder();
      }
      case EXCLUSIVE_PAGES -> buckets();
    };
  }

  private List<PoolSpec> explicit(List<PoolSpec> pools) {
    if (pools.isEmpty()) throw new LayoutException(new EmptyPoolList());
    if (pools.size() > LayoutError.MAX_POOLS)
      throw new LayoutException(new TooManyPools(pools.size()));
    return pools.stream().map(this::effective).toList();
  }

  private PoolSpec effective(PoolSpec spec) {
    return switch (spec) {
      case PoolSpec.Exclusive(long max, OptionalLong period) ->
          new PoolSpec.Exclusive(up("max_alloc_size", max), period);
      case PoolSpec.Direct direct -> direct;
      case PoolSpec.Sliced sliced -> effective(sliced);
    };
  }

  private PoolSpec.Sliced effective(PoolSpec.Sliced asked) {
    if (properties.exclusiveOnly()) throw new LayoutException(new SlicedPoolsUnavailable());
    notZero("page_size", asked.pageSize());
    long page = up("page_size", asked.pageSize());
    notZero("max_slice_size", asked.maxSliceSize().orElse(page));
    long slice = up("max_slice_size", asked.maxSliceSize().orElse(page));
    if (slice > page) throw new LayoutException(new SliceLargerThanPage(page, slice));
    checkCap(page, asked.maxPoolSize());
    return new PoolSpec.Sliced(
        page, OptionalLong.of(slice), asked.maxPoolSize(), asked.deallocPeriod());
  }

  private static void checkCap(long page, OptionalLong maxPoolSize) {
    if (maxPoolSize.isEmpty()) return;
    long cap = maxPoolSize.getAsLong();
    notZero("max_pool_size", cap);
    if (cap < page) throw new LayoutException(new CapSmallerThanPage(page, cap));
    if (cap / page > LayoutError.MAX_PAGES) throw new LayoutException(new TooManyPages(cap / page));
  }

  private static void notZero(String field, long size) {
    if (size == 0) throw new LayoutException(new ZeroSize(field));
  }

  private long up(String field, long size) {
    if (!alignment.canRound(size)) {
      throw new IllegalArgumentException(
          field
              + " ("
              + size
              + ") can not be rounded up to a multiple of "
              + alignment.bytes()
              + ": it would exceed "
              + Long.MAX_VALUE);
    }
    return alignment.up(size);
  }

  /// From the largest page down, each page a quarter of the one before and each slice limit half as
  /// generous; listed from the smallest up, because routing takes the first pool that accepts.
  private List<PoolSpec> ladder() {
    List<PoolSpec> pools = new ArrayList<>();
    long largest = properties.maxPageSize();
    pools.add(PoolSpec.exclusive(0));
    long page = largest;
    for (int step = 1; page >= LADDER_END; step++) {
      page = alignment.up(page / 4);
      pools.add(
          1,
          new PoolSpec.Sliced(
              page, OptionalLong.of(page >> step), OptionalLong.empty(), OptionalLong.empty()));
    }
    pools.add(aging(alignment.down(largest)));
    return pools;
  }

  /// Sizes in equal steps of their logarithm, from 32 KiB to the largest page. The ends are exact:
  /// computed through the logarithm the last one could fall a byte short and refuse the largest
  /// page.
  private List<PoolSpec> buckets() {
    long largest = properties.maxPageSize();
    List<PoolSpec> pools = new ArrayList<>();
    long last = up("max_page_size", largest);
    if (largest <= SMALLEST_BUCKET) return List.of(aging(last));
    double from = Math.log((double) SMALLEST_BUCKET);
    double to = Math.log((double) largest);
    long before = -1;
    for (int i = 0; i < BUCKETS; i++) {
      long size = alignment.up((long) Math.exp(from + (to - from) * (i / (double) (BUCKETS - 1))));
      if (i == 0) size = alignment.up(SMALLEST_BUCKET);
      if (i == BUCKETS - 1) size = last;
      if (size != before) pools.add(aging(size));
      before = size;
    }
    return pools;
  }

  /// An exclusive pool whose unused pages leave the later the larger they are.
  private static PoolSpec.Exclusive aging(long size) {
    double gibibytes = size / (double) (1L << 30);
    return new PoolSpec.Exclusive(
        size, OptionalLong.of((long) (BASE_PERIOD * Math.round(1 + gibibytes))));
  }
}
