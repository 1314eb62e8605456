package dev.quarry.failure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The failures that claim bytes of one allocation.
///
/// Ranges are half-open and relative to the start of the allocation. Each failure has at most one
/// entry, in the order of first claims, and holds exactly one tag in the [ErrorGraph] for as long
/// as it has one. Within an entry ranges are disjoint, ascending, not empty, and do not touch each
/// other; entries of different failures do not overlap, because the latest claim on a byte is the
/// one that counts. Single-owner, like the graph.
public final class Taint {
  private final List<Entry> entries = new ArrayList<>(1);

  /// A taint without claims.
  public Taint() {}

  /// The bytes one failure claims: `bounds` lists from, to, from, to and so on.
  private static final class Entry {
    final FailureId failure;
    long[] bounds;

    Entry(FailureId failure, long from, long to) {
      this.failure = failure;
      this.bounds = new long[] {from, to};
    }

    boolean isEmpty() {
      return bounds.length == 0;
    }

    boolean overlaps(long from, long to) {
      for (int i = 0; i < bounds.length; i += 2) {
        if (bounds[i] < to && from < bounds[i + 1]) return true;
      }
      return false;
    }

    void add(long from, long to) {
      long[] merged = new long[bounds.length + 2];
      int n = 0;
      int i = 0;
      for (; i < bounds.length && bounds[i + 1] < from; i += 2)
        n = put(merged, n, bounds[i], bounds[i + 1]);
      long low = from;
      long high = to;
      for (; i < bounds.length && bounds[i] <= to; i += 2) {
        low = Math.min(low, bounds[i]);
        high = Math.max(high, bounds[i + 1]);
      }
      n = put(merged, n, low, high);
      for (; i < bounds.length; i += 2) n = put(merged, n, bounds[i], bounds[i + 1]);
      bounds = Arrays.copyOf(merged, n);
    }

    void subtract(long from, long to) {
      long[] left = new long[bounds.length + 2];
      int n = 0;
      for (int i = 0; i < bounds.length; i += 2) {
        n = put(left, n, bounds[i], Math.min(bounds[i + 1], from));
        n = put(left, n, Math.max(bounds[i], to), bounds[i + 1]);
      }
      bounds = Arrays.copyOf(left, n);
    }

    private static int put(long[] bounds, int n, long from, long to) {
      if (from >= to) return n;
      bounds[n] = from;
      bounds[n + 1] = to;
      return n + 2;
    }
  }

  /// Claims bytes for a failure; other failures lose them. An empty range does nothing.
  public void taint(long from, long to, FailureId failure, ErrorGraph graph) {
    if (from >= to) return;
    Entry own = null;
    for (Entry entry : entries) {
      if (entry.failure.equals(failure)) own = entry;
    }
    if (own == null) {
      graph.tag(failure);
      release(from, to, null, graph);
      entries.add(new Entry(failure, from, to));
    } else {
      own.add(from, to);
      release(from, to, own, graph);
    }
  }

  /// Ends every claim on bytes that were written. An empty range does nothing.
  public void written(long from, long to, ErrorGraph graph) {
    if (from < to) release(from, to, null, graph);
  }

  private void release(long from, long to, @Nullable Entry keep, ErrorGraph graph) {
    if (entries.isEmpty()) return;
    for (Iterator<Entry> each = entries.iterator(); each.hasNext(); ) {
      Entry entry = each.next();
      if (entry == keep) continue;
      entry.subtract(from, to);
      if (!entry.isEmpty()) continue;
      each.remove();
      graph.untag(entry.failure);
    }
  }

  /// The failure that first claimed bytes of this range; empty when none does or the range is
  /// empty.
  public Optional<FailureId> failure(long from, long to) {
    if (from >= to) return Optional.empty();
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).overlaps(from, to)) return Optional.of(entries.get(i).failure);
    }
    return Optional.empty();
  }

  /// Ends every claim.
  public void clear(ErrorGraph graph) {
    for (Entry entry : entries) graph.untag(entry.failure);
    entries.clear();
  }

  /// Whether no failure claims a byte.
  public boolean isClean() {
    return entries.isEmpty();
  }
}
