package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// A request was refused.
@Name("dev.quarry.Refusal")
@Label("Refusal")
@Description("A request was refused")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class RefusalEvent extends MemoryFlightEvent {
  @Label("Size")
  @DataAmount
  long size;

  @Label("Failure")
  @Nullable String failure;

  @Label("Reason")
  @Nullable String reason;

  RefusalEvent() {}
}
