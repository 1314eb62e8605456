package dev.quarry.pool;

import dev.quarry.failure.AllocationId;
import java.lang.ref.PhantomReference;
import org.jspecify.annotations.Nullable;

/// One owner's hold on an allocation, given up exactly once.
///
/// It outlives the handle or binding it was made for: when that becomes unreachable without having
/// been closed, the collector hands the hold to [HandBack], and the memory's next operation gives
/// it up.
///
/// The hold of the handle that a reservation returns is the [Slice] itself, so that a reservation
/// costs a handle and a slice and nothing else; those of duplicates and bindings are
/// [FurtherHold]s.
///
/// Every method but [#sliceIn] may be called from any thread.
public abstract sealed class Hold extends PhantomReference<Object> permits Slice, FurtherHold {
  Hold(Object owner, HandBack handBack) {
    super(owner, handBack.lost);
  }

  /// The allocation held.
  public abstract Slice slice();

  /// Gives the hold up.
  ///
  /// @return whether this call did it
  public abstract boolean giveUp();

  public abstract boolean isOpen();

  /// A further hold on the same allocation, as a handle or as a binding.
  ///
  /// @throws IllegalStateException when this hold was given up
  public final Hold further(Object owner, boolean asHandle) {
    if (!isOpen() || !slice().acquire(asHandle ? Slice.HANDLE : Slice.BINDING)) {
      throw new IllegalStateException("the owner of " + allocation() + " is closed");
    }
    return new FurtherHold(owner, slice(), asHandle);
  }

  /// A handle's hold on a slice that counts it already, for pins.
  public static Hold pin(Object owner, Slice slice) {
    return new FurtherHold(owner, slice, true);
  }

  public final AllocationId allocation() {
    return new AllocationId(slice().id());
  }

  /// The bytes of the allocation, known even after it has ended.
  public final long size() {
    return slice().bytes();
  }

  /// Whether the memory has no other handle.
  public final boolean canMut() {
    return isOpen() && slice().hasOneHandle();
  }

  /// Whether the allocation has no owner left.
  public final boolean isFree() {
    return slice().hasNoOwner();
  }

  /// The slice, while the hold is open and belongs to these pools.
  public final @Nullable Slice sliceIn(Pools pools) {
    return isOpen() && pools.own(slice()) ? slice() : null;
  }
}
