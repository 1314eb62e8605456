package dev.quarry.plan;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.trace.Trace;

/// Turns what happened into what to install.
public interface Planner {
  /// A plan for the work of this trace on this device, confirmed by replay.
  ///
  /// @throws PlanException when the work can not be planned; the message says why
  /// @throws dev.quarry.trace.TraceException when the trace can not be read
  Plan plan(Trace trace, DeviceProperties device);
}
