package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/// The last owner of an allocation is gone.
@Name("dev.quarry.Release")
@Label("Release")
@Description("The last owner of an allocation is gone")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class ReleaseEvent extends MemoryFlightEvent {
  @Label("Observer")
  @Description("Tells apart what numbers reservations and releases")
  long observer;

  @Label("Sequence")
  long sequence;

  @Label("Allocation")
  long allocation;

  @Label("Size")
  @DataAmount
  long size;

  ReleaseEvent() {}
}
