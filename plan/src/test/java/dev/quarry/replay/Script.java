package dev.quarry.replay;

import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Work written down call by call. Allocations are numbered from 0.
public final class Script {
  private final List<TraceEvent> events = new ArrayList<>();
  private final List<Long> sizes = new ArrayList<>();
  private final Set<Integer> live = new LinkedHashSet<>();

  /// Takes bytes; gives the allocation's number.
  public int take(long size) {
    return take(size, 1, null);
  }

  /// Takes bytes at an alignment, under a tag.
  public int take(long size, long alignment, @Nullable String tag) {
    int id = sizes.size();
    sizes.add(size);
    live.add(id);
    events.add(
        new Allocate(
            id, size, 0, TraceEvent.NO_TIME, alignment, TraceEvent.NO_ADDRESS, tag, List.of()));
    return id;
  }

  /// Gives an allocation back.
  public Script free(int id) {
    live.remove(id);
    events.add(new Free(id, sizes.get(id)));
    return this;
  }

  /// Gives all back that is live, the oldest first.
  public Script freeAll() {
    List.copyOf(live).forEach(this::free);
    return this;
  }

  /// Asks for an allocation to be given back, which does not end its lifetime.
  public Script askToFree(int id) {
    events.add(new Free(id, sizes.get(id), Free.Kind.ASKED, 0, TraceEvent.NO_TIME));
    return this;
  }

  /// Makes a remark.
  public Script mark(String text) {
    events.add(new Mark(text, TraceEvent.NO_TIME));
    return this;
  }

  /// Records that the program was once refused.
  public Script refused(long size) {
    events.add(new Failure(size, 0, TraceEvent.NO_TIME, "out of memory"));
    return this;
  }

  /// How many events were written so far.
  public int length() {
    return events.size();
  }

  /// What was written so far, as a trace.
  public Trace trace() {
    return Trace.of(events);
  }
}
