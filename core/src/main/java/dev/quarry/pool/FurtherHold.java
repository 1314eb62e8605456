package dev.quarry.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// The hold of a duplicate, a binding or a pin.
final class FurtherHold extends Hold {
  private static final VarHandle CLOSED;

  static {
    try {
      CLOSED = MethodHandles.lookup().findVarHandle(FurtherHold.class, "closed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Slice slice;
  private final boolean handle;

  @SuppressWarnings("unused") // through CLOSED
  private volatile boolean closed;

  FurtherHold(Object owner, Slice slice, boolean handle) {
    super(owner, slice.handBack());
    this.slice = slice;
    this.handle = handle;
    slice.handBack().further.add(this);
  }

  @Override
  public Slice slice() {
    return slice;
  }

  @Override
  public boolean giveUp() {
    if (!CLOSED.compareAndSet(this, false, true)) return false;
    slice.handBack().further.remove(this);
    slice.release(handle ? Slice.HANDLE : Slice.BINDING);
    return true;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }
}
