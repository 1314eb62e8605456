package dev.quarry;

/// How often a reservation's stack is kept, to name it should its handle be lost without being
/// closed.
public enum LeakTracking {
  /// Never; lost handles are still closed, and told to the listener, but without a stack and
  /// without a warning.
  OFF,
  /// For one reservation in 128.
  SAMPLED,
  /// For every reservation. Costs a stack walk each.
  FULL
}
