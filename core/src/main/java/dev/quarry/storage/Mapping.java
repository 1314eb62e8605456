package dev.quarry.storage;

/// When reserved memory gets device memory behind it. Decided once, on the thread that asks, and
/// passed along.
public enum Mapping {
  /// Now: the storage is asked while the memory is reserved.
  EAGER,
  /// When the memory is first located. Until then it is unmapped: reserved, placed and counted,
  /// with nothing behind it.
  LAZY
}
