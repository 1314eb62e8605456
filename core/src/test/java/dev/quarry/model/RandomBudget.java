package dev.quarry.model;

import java.util.stream.LongStream;

/// How much random testing is done, and from which seeds.
///
/// - `-Dquarry.random.ops=N` takes about N steps in all instead of the default.
/// - `-Dquarry.random.seed=S` starts from that seed alone; a failure prints the one that repeats it
///   at once. Without it there are three fixed seeds, and one from the clock that is printed.
final class RandomBudget {
  private static final long DEFAULT_STEPS = 1_200_000;

  private RandomBudget() {}

  /// The steps of one test that does this share of all.
  static int steps(double share) {
    return (int) Math.max(1, Long.getLong("quarry.random.ops", DEFAULT_STEPS) * share);
  }

  static long[] seeds() {
    Long asked = Long.getLong("quarry.random.seed");
    if (asked != null) return new long[] {asked};
    long clock = System.nanoTime();
    System.out.println("random tests: the seed from the clock is " + clock);
    return LongStream.of(1, 2, 3, clock).toArray();
  }

  /// The seed of the n-th sequence: the first has the seed asked for, so that one can be repeated.
  static long seed(long base, int n) {
    return n == 0 ? base : (base + n) * 0x9E3779B97F4A7C15L;
  }
}
