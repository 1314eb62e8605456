package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/// A capped pool was full and passed a request on.
@Name("dev.quarry.Spill")
@Label("Spill")
@Description("A capped pool was full and passed a request on")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class SpillEvent extends MemoryFlightEvent {
  @Label("Pool")
  int pool;

  @Label("Size")
  @DataAmount
  long size;

  SpillEvent() {}
}
