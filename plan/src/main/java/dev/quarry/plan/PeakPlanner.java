package dev.quarry.plan;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayOptions;
import dev.quarry.replay.ReplayResult;
import dev.quarry.trace.Trace;
import java.util.function.LongConsumer;

/// Measures the work on a layout that can grow, caps every pool at its peak, replays the work on
/// the capped layout and confirms that it fits. What the library's own loop does, from a recording.
///
/// Placement is a pure function of requests and releases, so the second replay places everything as
/// the first did; it is made all the same, because a plan should rest on what was seen.
public final class PeakPlanner implements Planner {
  private final Layout layout;
  private final LongConsumer progress;

  /// A planner that measures on this layout.
  public PeakPlanner(Layout layout) {
    this(layout, position -> {});
  }

  /// A planner that measures on this layout.
  ///
  /// @param progress told the reader's position now and then, in each of the two replays
  public PeakPlanner(Layout layout, LongConsumer progress) {
    this.layout = layout;
    this.progress = progress;
  }

  /// @throws PlanException when a request is refused, or the trace allocates nothing
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for the device
  @Override
  public Plan plan(Trace trace, DeviceProperties device) {
    ReplayResult measured =
        Replay.of(trace, layout, device, ReplayOptions.DEFAULT.progress(progress));
    if (measured.allocations() == 0) throw PlanException.nothingToPlan(trace);
    refuse(measured, "does not fit the layout " + layout.text());
    return confirm(trace, measured.report().cappedLayout(), device);
  }

  /// Replays the work on a layout and makes the plan of what was seen.
  Plan confirm(Trace trace, Layout capped, DeviceProperties device) {
    ReplayResult confirmed =
        Replay.of(trace, capped, device, ReplayOptions.DEFAULT.progress(progress));
    refuse(confirmed, "does not fit the measured layout " + capped.text());
    Plan.Source source =
        new Plan.Source(
            trace.name(),
            trace.format().description(),
            trace.sha256(),
            confirmed.events(),
            confirmed.allocations());
    return new Plan(
        capped,
        device,
        source,
        confirmed.reservedPeak(),
        confirmed.load(),
        confirmed.report().pools());
  }

  private static void refuse(ReplayResult result, String what) {
    result
        .firstRefusal()
        .ifPresent(
            refusal -> {
              throw PlanException.ofWork("the work " + what + ": " + refusal.message());
            });
  }
}
