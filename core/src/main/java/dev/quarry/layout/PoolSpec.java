package dev.quarry.layout;

import java.util.OptionalLong;

/// One pool of a layout. All sizes are bytes, zero or more.
///
/// In a [Layout] the numbers are as asked for; in a [ResolvedLayout] and in reports they are the
/// effective ones. Limits between the numbers are checked by [Layout#resolve], which reports the
/// first problem.
public sealed interface PoolSpec extends PoolKind {
  /// Pages of one size, each cut into slices by first fit.
  ///
  /// @param pageSize the size of each device allocation
  /// @param maxSliceSize the largest request taken; absent means a whole page
  /// @param maxPoolSize the most bytes of pages held; absent means growth without limit
  /// @param deallocPeriod kept for the reader of the layout; pages of a sliced pool leave by
  ///   explicit cleanup only
  record Sliced(
      long pageSize,
      OptionalLong maxSliceSize,
      OptionalLong maxPoolSize,
      OptionalLong deallocPeriod)
      implements PoolSpec {
    /// @throws IllegalArgumentException when a number is negative
    public Sliced {
      notNegative("page_size", pageSize);
      notNegative("max_slice_size", maxSliceSize);
      notNegative("max_pool_size", maxPoolSize);
      notNegative("dealloc_period", deallocPeriod);
    }

    @Override
    public String toString() {
      return LayoutText.of(this);
    }
  }

  /// One allocation per page; free pages are reused for whatever fits and are given back when they
  /// stay unused.
  ///
  /// @param maxAllocSize the largest request taken; 0 makes a pool for requests of zero bytes
  /// @param deallocPeriod in reservations, the time after which an unused page is given back;
  ///   absent means never
  record Exclusive(long maxAllocSize, OptionalLong deallocPeriod) implements PoolSpec {
    /// @throws IllegalArgumentException when a number is negative
    public Exclusive {
      notNegative("max_alloc_size", maxAllocSize);
      notNegative("dealloc_period", deallocPeriod);
    }

    @Override
    public String toString() {
      return LayoutText.of(this);
    }
  }

  /// One device allocation per request, of exactly its padded size, reused for the same size only.
  ///
  /// @param reclaimAt the bytes held from which free allocations are given back before a new one is
  ///   made; absent means never
  record Direct(OptionalLong reclaimAt) implements PoolSpec {
    /// @throws IllegalArgumentException when the number is negative
    public Direct {
      notNegative("reclaim_at", reclaimAt);
    }

    @Override
    public String toString() {
      return LayoutText.of(this);
    }
  }

  /// A sliced pool that grows without limit and takes requests up to its page size.
  static Sliced sliced(long pageSize) {
    return new Sliced(pageSize, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
  }

  /// A sliced pool that holds at most `maxPoolSize` bytes and takes requests up to its page size.
  static Sliced sliced(long pageSize, long maxPoolSize) {
    return new Sliced(
        pageSize, OptionalLong.empty(), OptionalLong.of(maxPoolSize), OptionalLong.empty());
  }

  /// An exclusive pool whose pages are never given back by themselves.
  static Exclusive exclusive(long maxAllocSize) {
    return new Exclusive(maxAllocSize, OptionalLong.empty());
  }

  /// A direct pool that never gives memory back by itself.
  static Direct direct() {
    return new Direct(OptionalLong.empty());
  }

  private static void notNegative(String field, OptionalLong value) {
    if (value.isPresent()) notNegative(field, value.getAsLong());
  }

  private static void notNegative(String field, long value) {
    if (value < 0) throw new IllegalArgumentException(field + " (" + value + ") is negative");
  }
}
