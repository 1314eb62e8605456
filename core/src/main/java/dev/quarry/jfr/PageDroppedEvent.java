package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/// A pool gave a device allocation up.
@Name("dev.quarry.PageDropped")
@Label("Page Dropped")
@Description("A pool gave a device allocation up")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class PageDroppedEvent extends MemoryFlightEvent {
  @Label("Pool")
  int pool;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Mapped")
  boolean mapped;

  PageDroppedEvent() {}
}
