package dev.quarry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Holds the index against a sorted map that is scanned from its first extent.
///
/// Why: every placement of a sliced pool and every reuse of an exclusive one is an answer of this
/// tree; a wrong maximum in one inner entry would place allocations late without any report showing
/// it.
final class ExtentIndexTest {
  private static final long[] SEEDS = {1, 2, 3};

  /// Two neighbours hold more than 24 entries between them, but for a few that have only just
  /// become neighbours; so a level divides by twelve.
  private static int heightBound(int extents) {
    return (int) Math.ceil(Math.log(Math.max(1, extents)) / Math.log(12));
  }

  /// The index and the map, taking the same operations.
  private static final class Pair {
    final ExtentIndex index = new ExtentIndex();
    final TreeMap<Long, Long> map = new TreeMap<>();
    final Map<Long, Integer> tags = new TreeMap<>();
    private final long seed;
    private final int checkEvery;
    private int steps;

    Pair(long seed, int checkEvery) {
      this.seed = seed;
      this.checkEvery = checkEvery;
    }

    long takeFront(long bytes) {
      long expected = firstFit(bytes);
      long taken = index.takeFront(bytes);
      assertThat(taken).as("seed %d, takeFront(%d)", seed, bytes).isEqualTo(expected);
      if (expected >= 0) {
        long length = map.remove(expected);
        if (length > bytes) map.put(expected + bytes, length - bytes);
      }
      check();
      return taken;
    }

    int takeTagged(long bytes) {
      long expected = firstFit(bytes);
      int tag = index.takeTagged(bytes);
      if (expected >= 0) map.remove(expected);
      assertThat(tag)
          .as("seed %d, takeTagged(%d)", seed, bytes)
          .isEqualTo(expected < 0 ? -1 : tags.remove(expected));
      check();
      return tag;
    }

    private long firstFit(long bytes) {
      for (Map.Entry<Long, Long> extent : map.entrySet()) {
        if (extent.getValue() >= bytes) return extent.getKey();
      }
      return ExtentIndex.NONE;
    }

    void put(long from, long bytes) {
      index.put(from, bytes);
      map.put(from, bytes);
      check();
    }

    void put(long from, long bytes, int tag) {
      index.put(from, bytes, tag);
      map.put(from, bytes);
      tags.put(from, tag);
      check();
    }

    void give(long from, long bytes, boolean joinBefore, boolean joinAfter) {
      index.give(from, bytes, joinBefore, joinAfter);
      Map.Entry<Long, Long> before = map.lowerEntry(from);
      long start = from;
      long length = bytes;
      if (joinBefore && before != null && before.getKey() + before.getValue() == from) {
        start = before.getKey();
        length += before.getValue();
      }
      if (joinAfter && map.containsKey(from + bytes)) length += map.remove(from + bytes);
      map.put(start, length);
      check();
    }

    void clear() {
      index.clear();
      map.clear();
      tags.clear();
      check();
    }

    private void check() {
      if (index.size() != map.size())
        assertThat(index.size()).as("seed %d: extents", seed).isEqualTo(map.size());
      if (++steps % checkEvery != 0) return;
      assertThat(index.isConsistent()).as("seed %d: consistent at step %d", seed, steps).isTrue();
      assertThat(index.isEmpty()).isEqualTo(map.isEmpty());
      if (!map.isEmpty()) assertThat(index.first()).isEqualTo(map.firstKey());
      assertThat(index.largest())
          .as("seed %d: largest", seed)
          .isEqualTo(
              map.values().stream().mapToLong(Long::longValue).max().orElse(ExtentIndex.NONE));
      TreeMap<Long, Long> visited = new TreeMap<>();
      index.forEach(visited::put);
      assertThat(visited.equals(map)).as("seed %d: extents at step %d", seed, steps).isTrue();
      assertThat(height(index))
          .as("seed %d: height of %d extents", seed, map.size())
          .isLessThanOrEqualTo(heightBound(map.size()));
    }
  }

  /// The height is nobody's business but the balance's, so the index does not tell it.
  private static int height(ExtentIndex index) {
    try {
      Field height = ExtentIndex.class.getDeclaredField("height");
      height.setAccessible(true);
      return height.getInt(index);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anEmptyIndexHasNothing() {
    ExtentIndex index = new ExtentIndex();

    assertThat(index.isEmpty()).isTrue();
    assertThat(index.isConsistent()).isTrue();
    assertThat(index.largest()).isEqualTo(ExtentIndex.NONE);
    assertThat(index.takeFront(1)).isEqualTo(ExtentIndex.NONE);
    assertThat(index.takeTagged(0)).isEqualTo(-1);
  }

  @Test
  void givingJoinsOnlyWhereItMay() {
    ExtentIndex index = new ExtentIndex();
    index.put(0, 10);
    index.put(20, 10);

    index.give(10, 10, false, false);
    assertThat(index.size()).isEqualTo(3);
    assertThat(index.largest()).isEqualTo(10);

    assertThat(index.takeFront(10)).isZero();
    index.give(0, 10, true, true);
    assertThat(index.size()).isEqualTo(2);
    assertThat(index.largest()).isEqualTo(20);
  }

  /// Small trees are where nodes split, join, and run empty most often in proportion.
  @Test
  void aFewExtentsFollowTheScanAtEveryStep() {
    for (long seed : SEEDS) {
      for (int round = 0; round < 40; round++) churn(new Pair(seed, 1), seed * 1000 + round, 500);
    }
  }

  @Test
  void manyExtentsFollowTheScan() {
    for (long seed : SEEDS) churn(new Pair(seed, 997), seed, 30_000);
  }

  /// An arena of bytes in pages: takes from it and gives back, as a sliced pool does. Phases decide
  /// whether it fills or drains.
  private static void churn(Pair pair, long seed, int steps) {
    SplittableRandom random = new SplittableRandom(seed);
    long page = 64L << random.nextInt(8);
    List<long[]> taken = new ArrayList<>();
    long end = 0;
    int takesInHundred = 60;
    for (int i = 0; i < steps; i++) {
      if (i % 300 == 0) takesInHundred = 20 + random.nextInt(70);
      if (random.nextInt(100) < takesInHundred || taken.isEmpty()) {
        long bytes = 1 + random.nextLong(random.nextInt(8) == 0 ? page : Math.min(page, 32));
        long from = pair.takeFront(bytes);
        if (from == ExtentIndex.NONE) {
          from = end;
          if (bytes < page) pair.put(from + bytes, page - bytes);
          end += page;
        }
        taken.add(new long[] {from, bytes});
      } else {
        long[] back = taken.remove(random.nextInt(taken.size()));
        long offset = back[0] % page;
        pair.give(back[0], back[1], offset > 0, offset + back[1] < page);
      }
    }
    while (!taken.isEmpty()) {
      long[] back = taken.removeLast();
      long offset = back[0] % page;
      pair.give(back[0], back[1], offset > 0, offset + back[1] < page);
    }
    assertThat(pair.index.size()).as("seed %d: whole pages at the end", seed).isEqualTo(end / page);
  }

  /// Up to 50,000 extents that touch nobody: every second block is held. Filled in several orders,
  /// drained in several orders.
  @Test
  void largeIndexesGrowAndShrinkInAnyOrder() {
    int extents = 50_000;
    for (Order fill : Order.values()) {
      for (Order drain : Order.values()) {
        Pair pair = new Pair(extents, 24_989);
        for (long number : fill.numbers(extents)) pair.give(number * 10, 5, true, true);
        assertThat(pair.index.size()).isEqualTo(extents);
        for (long number : drain.numbers(extents)) {
          // The gap behind it is filled: two extents and a gap become one.
          if (number + 1 < extents) pair.give(number * 10 + 5, 5, true, true);
        }
        assertThat(pair.index.size()).as("%s, then %s", fill, drain).isEqualTo(1);
        assertThat(pair.index.largest()).isEqualTo(extents * 10L - 5);
      }
    }
  }

  private enum Order {
    UP,
    DOWN,
    SHUFFLED,
    FROM_THE_MIDDLE,
    EVERY_32ND;

    List<Long> numbers(int count) {
      List<Long> numbers = new ArrayList<>(count);
      switch (this) {
        case UP -> {
          for (long i = 0; i < count; i++) numbers.add(i);
        }
        case DOWN -> {
          for (long i = count - 1; i >= 0; i--) numbers.add(i);
        }
        case SHUFFLED -> {
          for (long i = 0; i < count; i++) numbers.add(i);
          SplittableRandom random = new SplittableRandom(count);
          for (int i = count - 1; i > 0; i--) Collections.swap(numbers, i, random.nextInt(i + 1));
        }
        case FROM_THE_MIDDLE -> {
          long middle = count / 2;
          for (long i = 0; i < count; i++)
            numbers.add(i % 2 == 0 ? middle + i / 2 : middle - 1 - i / 2);
        }
        case EVERY_32ND -> {
          for (long first = 0; first < 32; first++) {
            for (long i = first; i < count; i += 32) numbers.add(i);
          }
        }
      }
      return numbers;
    }
  }

  /// Teeth of growing size: fills to a thousand and more, drains to nothing, again and again, so
  /// that nodes are freed and used anew.
  @Test
  void aSawtoothLeavesNoTraces() {
    for (long seed : SEEDS) {
      SplittableRandom random = new SplittableRandom(seed);
      Pair pair = new Pair(seed, 401);
      for (int tooth = 1; tooth <= 12; tooth++) {
        int extents = 100 * tooth;
        for (int i = 0; i < extents; i++) {
          long from = 4L * random.nextInt(1 << 20);
          if (!pair.map.containsKey(from)) pair.put(from, 1 + random.nextInt(3));
        }
        while (!pair.map.isEmpty()) {
          if (random.nextBoolean()) pair.takeFront(1);
          else pair.takeFront(1 + random.nextInt(3));
        }
        assertThat(height(pair.index)).isZero();
      }
    }
  }

  /// Two extents at a time next to a boundary between nodes: one goes, one comes, so that a split
  /// and a join would alternate if they could.
  @Test
  void neighboursAtAFullNodeDoNotUnbalanceIt() {
    for (int extents = 30; extents <= 1100; extents += 35) {
      Pair pair = new Pair(extents, 13);
      for (long i = 0; i < extents; i++) pair.put(i * 10, 5);
      for (long i = 0; i + 1 < extents; i++) {
        pair.give(i * 10 + 5, 5, true, true);
        assertThat(pair.takeFront(15)).isEqualTo(i * 10);
        pair.give(i * 10, 5, true, true);
        pair.give(i * 10 + 10, 5, true, true);
      }
    }
  }

  /// As exclusive pools use it: the address is an order, the length a page's size, zero included,
  /// and nothing joins.
  @Test
  void wholePagesOfAnySizeAreTakenInOrder() {
    for (long seed : SEEDS) {
      SplittableRandom random = new SplittableRandom(seed);
      Pair pair = new Pair(seed, 17);
      long next = 0;
      List<Long> out = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            long from = out.isEmpty() || random.nextBoolean() ? next++ : out.removeLast();
            pair.put(from, random.nextInt(4) == 0 ? 0 : random.nextInt(1000), (int) from);
          }
          case 2, 3 -> {
            int tag = pair.takeTagged(random.nextInt(3) == 0 ? 0 : random.nextInt(1100));
            if (tag >= 0) out.add((long) tag);
          }
          default -> {
            if (random.nextInt(2000) == 0) pair.clear();
          }
        }
      }
    }
  }
}
