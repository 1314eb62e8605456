package dev.quarry.pool;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Pages that serve only requests of exactly their size: for each size held, the free ones in the
/// order of their numbers.
///
/// A table of sizes with linear probing (D. E. Knuth, *The Art of Computer Programming*, volume 3,
/// algorithms 6.4 L and R), because the JDK's maps would box the size at every look-up; most
/// look-ups touch one cache line of it. A page remembers the bucket of its size. A bucket lives as
/// long as its size is held, free or not.
final class ExactSizes {
  private static final long VACANT = -1;

  private long[] sizes = vacant(16);
  private @Nullable Bucket[] buckets = new Bucket[16];
  private int count;

  private static long[] vacant(int length) {
    long[] sizes = new long[length];
    Arrays.fill(sizes, VACANT);
    return sizes;
  }

  /// The pages of one size. The free ones form a binary heap by number.
  static final class Bucket {
    private final long size;
    private int held;
    private @Nullable Page[] free = new Page[1];
    private int freeCount;

    private Bucket(long size) {
      this.size = size;
    }

    private Page at(int i) {
      return Objects.requireNonNull(free[i]);
    }

    private void add(Page page) {
      if (freeCount == free.length) free = Arrays.copyOf(free, freeCount * 2);
      siftUp(freeCount++, page);
    }

    private Page removeAt(int i) {
      Page removed = at(i);
      Page last = at(--freeCount);
      free[freeCount] = null;
      if (i < freeCount) {
        siftDown(i, last);
        if (free[i] == last) siftUp(i, last);
      }
      return removed;
    }

    private void siftUp(int i, Page page) {
      while (i > 0 && at((i - 1) / 2).index > page.index) {
        free[i] = free[(i - 1) / 2];
        i = (i - 1) / 2;
      }
      free[i] = page;
    }

    private void siftDown(int i, Page page) {
      for (int child = 2 * i + 1; child < freeCount; child = 2 * i + 1) {
        if (child + 1 < freeCount && at(child + 1).index < at(child).index) child++;
        if (at(child).index >= page.index) break;
        free[i] = free[child];
        i = child;
      }
      free[i] = page;
    }

    private int indexOf(Page page) {
      for (int i = 0; i < freeCount; i++) {
        if (free[i] == page) return i;
      }
      throw new IllegalStateException("page " + page.index + " is not free");
    }
  }

  /// Whether a page of this size is held, free or live.
  boolean holds(long size) {
    return buckets[find(size)] != null;
  }

  /// Takes the first free page of this size; null when there is none.
  @Nullable Page takeFirst(long size) {
    Bucket bucket = buckets[find(size)];
    return bucket == null || bucket.freeCount == 0 ? null : bucket.removeAt(0);
  }

  /// Notes a page that is held from now on and is not free.
  void add(Page page) {
    int at = find(page.size);
    Bucket bucket = buckets[at];
    if (bucket == null) {
      bucket = new Bucket(page.size);
      sizes[at] = page.size;
      buckets[at] = bucket;
      if (++count > sizes.length / 2) rehash();
    }
    bucket.held++;
    page.bucket = bucket;
  }

  /// Notes that a held page is free.
  void give(Page page) {
    bucketOf(page).add(page);
  }

  /// Notes that a free page is not free any more.
  void take(Page page) {
    Bucket bucket = bucketOf(page);
    bucket.removeAt(bucket.indexOf(page));
  }

  /// Forgets a free page.
  void remove(Page page) {
    take(page);
    Bucket bucket = bucketOf(page);
    if (--bucket.held == 0) vacate(find(bucket.size));
  }

  private static Bucket bucketOf(Page page) {
    return Objects.requireNonNull(page.bucket);
  }

  private int home(long size) {
    long mixed = size * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 40) & (sizes.length - 1);
  }

  /// Where the size is, or the vacant place where it would go.
  private int find(long size) {
    int at = home(size);
    while (sizes[at] != size && sizes[at] != VACANT) at = (at + 1) & (sizes.length - 1);
    return at;
  }

  private void rehash() {
    @Nullable Bucket[] before = buckets;
    sizes = vacant(before.length * 2);
    buckets = new Bucket[before.length * 2];
    for (Bucket bucket : before) {
      if (bucket == null) continue;
      int at = find(bucket.size);
      sizes[at] = bucket.size;
      buckets[at] = bucket;
    }
  }

  /// Empties a place, and moves into it what would not be found beyond the gap.
  private void vacate(int gap) {
    count--;
    int mask = sizes.length - 1;
    for (int at = (gap + 1) & mask; sizes[at] != VACANT; at = (at + 1) & mask) {
      boolean reachable = ((at - home(sizes[at])) & mask) < ((at - gap) & mask);
      if (reachable) continue;
      sizes[gap] = sizes[at];
      buckets[gap] = buckets[at];
      gap = at;
    }
    sizes[gap] = VACANT;
    buckets[gap] = null;
  }
}
