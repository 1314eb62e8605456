package dev.quarry;

import dev.quarry.failure.AllocationId;
import dev.quarry.pool.Hold;

/// Somebody who keeps an allocation reserved: a [Handle], which may also be used to write it in
/// place, or a [Binding], which may not claim that nobody else does.
///
/// Every method may be called from any thread, takes no lock and never blocks. An owner that
/// becomes unreachable without being closed is closed by the next operation of its memory after the
/// collector has noticed; rely on it for safety, not for memory.
public abstract sealed class Owner implements AutoCloseable permits Handle, Binding {
  /// What counts this owner; set before anybody else can see it.
  Hold hold;

  /// An owner that is about to get its hold.
  @SuppressWarnings("NullAway.Init")
  Owner() {}

  /// A further owner of an allocation.
  Owner(Hold from, boolean asHandle) {
    this.hold = from.further(this, asHandle);
  }

  /// The identity of the allocation; known even after closing.
  public final AllocationId id() {
    return hold.allocation();
  }

  /// The bytes asked for; known even after closing.
  public final long size() {
    return hold.size();
  }

  /// Whether [#close] was called.
  public final boolean isClosed() {
    return !hold.isOpen();
  }

  /// Whether the allocation has no owner left, this one included.
  public final boolean isFree() {
    return hold.isFree();
  }

  /// What counts this owner. For the runtime of this library; its type is not exported.
  @SuppressWarnings("exports")
  public final Hold hold() {
    return hold;
  }

  /// A further binding to the same allocation, to be closed by the caller.
  ///
  /// @throws IllegalStateException when this owner is closed
  public final Binding binding() {
    return new Binding(hold);
  }

  /// Gives this owner up. With the last owner of an allocation its memory is free for the next
  /// reservation. Closing again does nothing.
  @Override
  public final void close() {
    hold.giveUp();
  }
}
