package dev.quarry.pool;

import dev.quarry.failure.MemoryFailure;

/// The outcome of a reservation: a live slice, or why there is none. Refusals are values here, so
/// that a spill costs no exception.
public sealed interface Placed permits Slice, Placed.Refused {
  /// Nothing was reserved.
  ///
  /// @param failure why
  record Refused(MemoryFailure failure) implements Placed {}
}
