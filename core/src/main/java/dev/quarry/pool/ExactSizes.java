package dev.quarry.pool;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Pages that serve only requests of exactly their size: for each size held, the free ones in the
/// order of their numbers.
///
/// A hash table chained through its buckets, since the JDK's maps would box the size at every
/// look-up. A bucket lives as long as its size is held, free or not.
final class ExactSizes {
  private static final Comparator<Page> BY_NUMBER = Comparator.comparingInt(page -> page.index);

  private @Nullable Bucket[] table = new Bucket[16];
  private int buckets;

  private static final class Bucket {
    final long size;
    int held;
    final PriorityQueue<Page> free = new PriorityQueue<>(BY_NUMBER);
    @Nullable Bucket next;

    Bucket(long size, @Nullable Bucket next) {
      this.size = size;
      this.next = next;
    }
  }

  /// Whether a page of this size is held, free or live.
  boolean holds(long size) {
    return find(size) != null;
  }

  /// Takes the first free page of this size; null when there is none.
  @Nullable Page takeFirst(long size) {
    Bucket bucket = find(size);
    return bucket == null ? null : bucket.free.poll();
  }

  /// Notes a page that is held from now on and is not free.
  void add(Page page) {
    Bucket bucket = find(page.size);
    if (bucket == null) bucket = addBucket(page.size);
    bucket.held++;
  }

  /// Notes that a held page is free.
  void give(Page page) {
    present(page.size).free.add(page);
  }

  /// Notes that a free page is not free any more.
  void take(Page page) {
    present(page.size).free.remove(page);
  }

  /// Forgets a free page.
  void remove(Page page) {
    Bucket bucket = present(page.size);
    bucket.free.remove(page);
    if (--bucket.held == 0) removeBucket(bucket);
  }

  private Bucket present(long size) {
    Bucket bucket = find(size);
    if (bucket == null) throw new IllegalStateException("no page of " + size + " bytes is held");
    return bucket;
  }

  private @Nullable Bucket find(long size) {
    Bucket bucket = table[slot(size)];
    while (bucket != null && bucket.size != size) bucket = bucket.next;
    return bucket;
  }

  private int slot(long size) {
    long mixed = size * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & (table.length - 1);
  }

  private Bucket addBucket(long size) {
    if (++buckets > table.length) rehash();
    int slot = slot(size);
    Bucket bucket = new Bucket(size, table[slot]);
    table[slot] = bucket;
    return bucket;
  }

  private void rehash() {
    @Nullable Bucket[] before = table;
    table = new Bucket[before.length * 2];
    for (Bucket chain : before) {
      while (chain != null) {
        Bucket bucket = chain;
        chain = bucket.next;
        int slot = slot(bucket.size);
        bucket.next = table[slot];
        table[slot] = bucket;
      }
    }
  }

  private void removeBucket(Bucket gone) {
    int slot = slot(gone.size);
    Bucket before = null;
    for (Bucket bucket = table[slot]; bucket != gone && bucket != null; bucket = bucket.next)
      before = bucket;
    if (before == null) table[slot] = gone.next;
    else before.next = gone.next;
    buckets--;
  }
}
