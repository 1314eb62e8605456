package dev.quarry.pool;

import java.util.Arrays;
import java.util.stream.LongStream;

/// Which pool a size reaches first. Pools accept sizes in a few intervals, so the answer changes at
/// a few sizes only; it is looked up among those instead of asking one pool after the other.
final class Routes {
  /// The sizes from which the answer is a new one, ascending, the first being 0.
  private final long[] from;

  /// The first pool that accepts sizes from there on; the number of pools where none does.
  private final int[] first;

  Routes(Pool[] pools) {
    from =
        LongStream.concat(
                LongStream.of(0),
                Arrays.stream(pools).flatMapToLong(pool -> LongStream.of(pool.acceptanceChanges())))
            .filter(size -> size >= 0)
            .sorted()
            .distinct()
            .toArray();
    first = Arrays.stream(from).mapToInt(size -> firstAccepting(pools, size)).toArray();
  }

  private static int firstAccepting(Pool[] pools, long size) {
    int number = 0;
    while (number < pools.length && !pools[number].accepts(size)) number++;
    return number;
  }

  /// The first pool that accepts this size; the number of pools when none does.
  int firstFor(long size) {
    int low = 0;
    int high = from.length;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (from[middle] <= size) low = middle;
      else high = middle;
    }
    return first[low];
  }
}
