package dev.quarry;

import dev.quarry.failure.MemoryFailure;

/// The outcome of asking for memory: a [Handle], or why there is none.
///
/// ```java
/// switch (memory.tryReserve(size, DryRun.mapping())) {
///   case Handle handle -> use(handle);
///   case Reservation.Refused(MemoryFailure failure) -> makeRoom(failure.remedy());
/// }
/// ```
public sealed interface Reservation permits Handle, Reservation.Refused {
  /// Nothing was reserved.
  ///
  /// @param failure why
  record Refused(MemoryFailure failure) implements Reservation {}
}
