package dev.quarry;

/// How much a memory writes to the [System.Logger] named `quarry.memory`, at level INFO. Warnings,
/// of a capped pool that overflowed or a tracked leak, are written whatever this says.
public enum MemoryLog {
  /// Nothing.
  DISABLED,
  /// Layouts, windows, explicit cleanups, refusals, and each further persistent allocation.
  BASIC,
  /// All of that, every reservation, and a report with each further page.
  FULL
}
