package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/// An owner became unreachable without being closed.
@Name("dev.quarry.Leak")
@Label("Leak")
@Description("An owner became unreachable without being closed")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class LeakEvent extends MemoryFlightEvent {
  @Label("Allocation")
  long allocation;

  @Label("Size")
  @DataAmount
  long size;

  LeakEvent() {}
}
