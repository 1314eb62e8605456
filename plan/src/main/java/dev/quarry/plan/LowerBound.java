package dev.quarry.plan;

import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceException;
import dev.quarry.trace.TraceReader;

/// LOAD: the largest sum of sizes that are live at one time, in bytes.
///
/// Whatever the layout and the order of placement, the bytes live at one moment lie side by side,
/// so no plan reserves less. Sizes are those asked for; alignment can only make a plan need more. A
/// lifetime ends when its free has completed. The sum is exact: one that a long cannot hold is an
/// [ArithmeticException], never a wrong figure.
///
/// One thread at a time. To bound a trace as a whole:
///
/// ```java
/// long load = LowerBound.of(trace).load();
/// ```
public final class LowerBound {
  private long live;
  private long load;
  private long events;
  private long reachedAt;

  /// A bound of nothing, to which events are added.
  public LowerBound() {}

  /// The bound of a whole trace.
  ///
  /// @throws TraceException if the trace cannot be read, or its live sizes exceed what a long can
  ///   hold
  public static LowerBound of(Trace trace) {
    LowerBound bound = new LowerBound();
    try (TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
        bound.add(event);
      }
    } catch (ArithmeticException _) {
      throw tooLarge(trace.name(), bound.events);
    }
    return bound;
  }

  /// Takes in the next event.
  public void add(TraceEvent event) {
    events++;
    if (event instanceof Allocate a) {
      live = Math.addExact(live, a.size());
      if (live > load) {
        load = live;
        reachedAt = events;
      }
    } else if (event instanceof Free f && f.kind() == Free.Kind.COMPLETED) {
      live -= f.size();
    }
  }

  /// The largest live sum so far, in bytes.
  public long load() {
    return load;
  }

  /// The number, from 1, of the event that first reached [#load]; 0 if nothing was ever live.
  public long reachedAt() {
    return reachedAt;
  }

  /// The bytes live after the last event.
  public long live() {
    return live;
  }

  static TraceException tooLarge(String name, long event) {
    return new TraceException(
        name,
        0,
        "sizes whose sum at event " + event + " exceeds 64 bits",
        "at most " + Long.MAX_VALUE + " bytes");
  }
}
