package dev.quarry.pool;

import dev.quarry.failure.AllocationId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One owner's hold on an allocation, given up exactly once.
///
/// It outlives the handle or binding it was made for: when that becomes unreachable without having
/// been closed, the collector hands the hold to [HandBack], and the memory's next operation gives
/// it up. One object serves both purposes, so that a reservation costs a handle and a hold and
/// nothing else.
///
/// Everything but the public constructor and [#sliceIn] may be called from any thread.
public final class Hold extends PhantomReference<Object> {
  private static final VarHandle CLOSED;

  static {
    try {
      CLOSED = MethodHandles.lookup().findVarHandle(Hold.class, "closed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Slice slice;
  private final long id;
  private final boolean handle;
  private final boolean first;
  private @Nullable Throwable reservedAt;

  /// Inverted, so that a new hold needs no write that other threads must see.
  @SuppressWarnings("unused") // through CLOSED
  private volatile boolean closed;

  /// The hold of a handle that the slice counts already: of the one a reservation returns, or of a
  /// pin. For the thread that owns the memory.
  public Hold(Object handle, Slice slice, boolean first) {
    this(handle, slice, slice.id(), true, first);
    if (first) slice.first = this;
  }

  private Hold(Object owner, Slice slice, long id, boolean handle, boolean first) {
    super(owner, slice.handBack.lost);
    this.slice = slice;
    this.id = id;
    this.handle = handle;
    this.first = first;
    if (!first) slice.handBack.others.add(this);
  }

  /// A further hold on the same allocation, as a handle or as a binding.
  ///
  /// @throws IllegalStateException when this hold was given up
  public Hold further(Object owner, boolean asHandle) {
    if (closed || !slice.acquire(id, asHandle ? Slice.HANDLE : Slice.BINDING)) {
      throw new IllegalStateException("the owner of " + allocation() + " is closed");
    }
    return new Hold(owner, slice, id, asHandle, false);
  }

  /// Gives the hold up.
  ///
  /// @return whether this call did it
  public boolean giveUp() {
    if (!CLOSED.compareAndSet(this, false, true)) return false;
    if (!first) slice.handBack.others.remove(this);
    slice.release(handle ? Slice.HANDLE : Slice.BINDING);
    return true;
  }

  public boolean isOpen() {
    return !closed;
  }

  /// Keeps the stack of the reservation this is the first hold of.
  public void reservedAt(Throwable site) {
    reservedAt = site;
  }

  Optional<Throwable> reservedAt() {
    return Optional.ofNullable(reservedAt);
  }

  public AllocationId allocation() {
    return new AllocationId(id);
  }

  /// The bytes of the allocation, or -1 once the hold was given up.
  public long size() {
    return closed ? -1 : slice.size();
  }

  /// Whether the memory has no other handle.
  public boolean canMut() {
    return !closed && slice.canMut(id);
  }

  /// Whether the allocation has no owner left.
  public boolean isFree() {
    return slice.isFree(id);
  }

  /// The slice, while the hold is open and belongs to these pools.
  public @Nullable Slice sliceIn(Pools pools) {
    return !closed && pools.own(slice) ? slice : null;
  }
}
