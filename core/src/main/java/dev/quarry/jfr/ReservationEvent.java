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

/// A request was served.
@Name("dev.quarry.Reservation")
@Label("Reservation")
@Description("A request was served")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class ReservationEvent extends MemoryFlightEvent {
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

  @Label("Pool")
  int pool;

  @Label("Page")
  int page;

  @Label("Offset")
  @DataAmount
  long offset;

  @Label("Allocation Label")
  @Nullable String label;

  ReservationEvent() {}
}
