package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// A layout was installed, or refused.
@Name("dev.quarry.Install")
@Label("Install")
@Description("A layout was installed or refused")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@StackTrace(false)
final class InstallEvent extends MemoryFlightEvent {
  @Label("Layout")
  @Nullable String layout;

  @Label("Refusal")
  @Nullable String refusal;

  InstallEvent() {}
}
