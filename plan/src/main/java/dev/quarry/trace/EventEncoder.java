package dev.quarry.trace;

import org.jspecify.annotations.Nullable;

/// Writes events down, one record each, into a buffer it was made with.
sealed interface EventEncoder permits CsvEncoder, JsonEncoder {
  /// Writes what comes before the first event.
  void header();

  /// What this form cannot carry in an event, or null if it can carry all of it.
  @Nullable String obstacle(TraceEvent event);

  /// Writes an event that has no obstacle.
  void encode(TraceEvent event);
}
