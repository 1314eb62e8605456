package dev.quarry.jfr;

import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import org.jspecify.annotations.Nullable;

/// What every event says: which memory it is about.
@Registered(false)
abstract class MemoryFlightEvent extends Event {
  @Label("Memory")
  @Nullable String memory;

  @Label("Stream")
  int stream;

  @Label("Pinned Host Memory")
  boolean pinned;
}
