package dev.quarry.report;

import dev.quarry.failure.AllocationId;
import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.ResolvedLayout;
import java.util.Optional;

/// Something that happened in a memory. Sizes are bytes. Pools are numbered in routing order from
/// 0; the persistent pool is [MemoryReport#PERSISTENT].
public sealed interface MemoryEvent {
  /// A request was served.
  ///
  /// @param id the new allocation
  /// @param size the bytes asked for
  /// @param pool the pool that served it
  /// @param page the page, counted within the pool at this moment
  /// @param offset where it starts in the page
  /// @param label what the program calls it, where it does
  record Reserved(
      AllocationId id, long size, int pool, int page, long offset, Optional<String> label)
      implements MemoryEvent {}

  /// The last owner of an allocation is gone, and the memory has noticed.
  ///
  /// @param id the allocation
  /// @param size the bytes it had asked for
  record Released(AllocationId id, long size) implements MemoryEvent {}

  /// A request was refused.
  ///
  /// @param size the bytes asked for
  /// @param failure why
  record Refused(long size, MemoryFailure failure) implements MemoryEvent {}

  /// A capped pool was full, and passed the request on to the next pool that takes it, if there is
  /// one.
  ///
  /// @param size the bytes asked for
  /// @param pool the pool that was full
  record Spilled(long size, int pool) implements MemoryEvent {}

  /// A pool holds a further device allocation.
  ///
  /// @param pool the pool
  /// @param bytes its size
  /// @param mapped whether the storage was asked for it now
  record PageAdded(int pool, long bytes, boolean mapped) implements MemoryEvent {}

  /// A device allocation that was reserved lazily has memory now.
  ///
  /// @param pool the pool
  /// @param bytes its size
  record PageMapped(int pool, long bytes) implements MemoryEvent {}

  /// A pool gave a device allocation up.
  ///
  /// @param pool the pool
  /// @param bytes its size
  /// @param mapped whether the storage got something back
  record PageDropped(int pool, long bytes, boolean mapped) implements MemoryEvent {}

  /// An explicit cleanup begins.
  record CleanupRequested() implements MemoryEvent {}

  /// A persistent window was opened or closed, or a capture began or ended.
  ///
  /// @param persistent whether reservations go to the persistent pool from now on
  record ModeChanged(boolean persistent) implements MemoryEvent {}

  /// A layout is in place, when the memory was made or later.
  ///
  /// @param layout the layout
  record Installed(ResolvedLayout layout) implements MemoryEvent {}

  /// A layout was refused.
  ///
  /// @param refusal why
  record InstallRefused(InstallRefusal refusal) implements MemoryEvent {}

  /// A handle or binding became unreachable without being closed, and was closed for it.
  ///
  /// @param id the allocation
  /// @param size the bytes it had asked for
  /// @param reservedAt the stack of its reservation, where leak tracking had taken one
  record Leaked(AllocationId id, long size, Optional<Throwable> reservedAt)
      implements MemoryEvent {}
}
