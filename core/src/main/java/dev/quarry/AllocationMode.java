package dev.quarry;

/// Where reservations go that nothing else decides about.
public enum AllocationMode {
  /// To the layout's pools.
  AUTO,
  /// To the persistent pool.
  PERSISTENT
}
