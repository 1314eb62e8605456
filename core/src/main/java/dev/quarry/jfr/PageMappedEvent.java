package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/// A page reserved lazily has memory now.
@Name("dev.quarry.PageMapped")
@Label("Page Mapped")
@Description("A device allocation that was reserved lazily has memory now")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class PageMappedEvent extends MemoryFlightEvent {
  @Label("Pool")
  int pool;

  @Label("Bytes")
  @DataAmount
  long bytes;

  PageMappedEvent() {}
}
