package dev.quarry.failure;

/// A failure's hold on an allocation that somebody asks about.
public sealed interface Claim {
  /// The allocation asked about.
  AllocationId allocation();

  /// Bytes of the allocation were to be written by work that failed.
  ///
  /// @param failure the failure
  /// @param allocation the allocation asked about
  record Failed(FailureId failure, AllocationId allocation) implements Claim {}

  /// The allocation never got memory.
  ///
  /// @param allocation the allocation asked about
  record Unallocated(AllocationId allocation) implements Claim {}
}
