package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/// A pool holds a further device allocation.
@Name("dev.quarry.PageAdded")
@Label("Page Added")
@Description("A pool holds a further device allocation")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class PageAddedEvent extends MemoryFlightEvent {
  @Label("Pool")
  int pool;

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Label("Mapped")
  boolean mapped;

  PageAddedEvent() {}
}
