package dev.quarry.trace;

import java.util.Arrays;

/// Who is live: gives each lifetime its number and finds it again by the key its source knows it
/// by.
///
/// An open-addressed table of longs, three to an entry, so that a million live lifetimes take about
/// 64 MB and no objects. Deletion moves the followers of a probe run back instead of leaving
/// tombstones: a trace is one long churn, and tombstones would make it rehash for ever.
final class LiveIds {
  /// The answer when a key is live (to [#begin]) or is not (to [#ask] and [#end]).
  static final long NONE = -1;

  // An entry: the key, the size, and 2 * id + asked + 1, which is 0 in a free entry.
  private static final int WIDTH = 3;
  private static final int KEY = 0;
  private static final int SIZE = 1;
  private static final int MARK = 2;

  private long[] table = new long[WIDTH << 6];
  private int mask = (1 << 6) - 1;
  private int live;
  private long nextId;

  /// Begins a lifetime under `key` and returns its id, or [#NONE] if the key is live.
  long begin(long key, long size) {
    int at = find(key);
    if (table[at + MARK] != 0) {
      return NONE;
    }
    table[at + KEY] = key;
    table[at + SIZE] = size;
    table[at + MARK] = (nextId << 1) + 1;
    if (++live > mask - (mask >> 2)) {
      grow();
    }
    return nextId++;
  }

  boolean isLive(long key) {
    return table[find(key) + MARK] != 0;
  }

  /// The id of a live key, or [#NONE].
  long id(long key) {
    return idAt(find(key));
  }

  /// The size under a live key.
  long size(long key) {
    return table[find(key) + SIZE];
  }

  /// Notes that a free was asked for a live key; false if it was asked before.
  boolean ask(long key) {
    int at = find(key);
    boolean first = (table[at + MARK] - 1 & 1) == 0;
    if (first) {
      table[at + MARK]++;
    }
    return first;
  }

  /// Ends the lifetime under `key` and returns its id, or [#NONE] if there is none.
  long end(long key) {
    int at = find(key);
    long id = idAt(at);
    if (id != NONE) {
      remove(at);
    }
    return id;
  }

  int live() {
    return live;
  }

  private long idAt(int at) {
    long mark = table[at + MARK];
    return mark == 0 ? NONE : (mark - 1) >> 1;
  }

  private int find(long key) {
    int slot = home(key);
    while (true) {
      int at = slot * WIDTH;
      if (table[at + MARK] == 0 || table[at + KEY] == key) {
        return at;
      }
      slot = slot + 1 & mask;
    }
  }

  private int home(long key) {
    // Pointers share their low bits: multiply, then take the high ones.
    long h = key * 0x9E3779B97F4A7C15L;
    return (int) (h >>> 32) & mask;
  }

  private void remove(int at) {
    live--;
    int hole = at / WIDTH;
    int slot = hole;
    while (true) {
      slot = slot + 1 & mask;
      if (table[slot * WIDTH + MARK] == 0) {
        break;
      }
      int home = home(table[slot * WIDTH + KEY]);
      if ((slot - home & mask) >= (slot - hole & mask)) {
        System.arraycopy(table, slot * WIDTH, table, hole * WIDTH, WIDTH);
        hole = slot;
      }
    }
    Arrays.fill(table, hole * WIDTH, hole * WIDTH + WIDTH, 0);
  }

  private void grow() {
    long[] old = table;
    int slots = (mask + 1) << 1;
    mask = slots - 1;
    table = new long[Math.multiplyExact(slots, WIDTH)];
    for (int at = 0; at < old.length; at += WIDTH) {
      if (old[at + MARK] != 0) {
        System.arraycopy(old, at, table, find(old[at + KEY]), WIDTH);
      }
    }
  }
}
