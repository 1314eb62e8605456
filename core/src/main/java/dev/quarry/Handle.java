package dev.quarry;

import dev.quarry.pool.Hold;
import dev.quarry.pool.Slice;

/// Owns an allocation and says whether it may be written in place.
///
/// ```java
/// try (Handle handle = memory.reserve(4096)) {
///   memory.resource(handle).fill((byte) 1);
/// }
/// ```
public final class Handle extends Owner implements Reservation {
  /// A handle that a reservation is about to make the first owner of a slice.
  Handle() {}

  /// The handle of a slice that a capture has counted for its pins.
  static Handle pin(Slice slice) {
    Handle handle = new Handle();
    handle.hold = Hold.pin(handle, slice);
    return handle;
  }

  private Handle(Hold from) {
    super(from, true);
  }

  /// Whether this is the only handle of its allocation, so that its bytes may be overwritten in
  /// place. Bindings do not matter. False once this handle is closed.
  public boolean canMut() {
    return hold.canMut();
  }

  /// A further handle of the same allocation, to be closed by the caller.
  ///
  /// @throws IllegalStateException when this handle is closed
  public Handle duplicate() {
    return new Handle(hold);
  }

  /// Turns this handle into a binding: the allocation loses a handle and keeps an owner.
  ///
  /// @throws IllegalStateException when this handle is closed
  public Binding intoBinding() {
    Binding binding = binding();
    close();
    return binding;
  }

  @Override
  public String toString() {
    return "handle of " + id() + " (" + size() + " bytes)";
  }
}
