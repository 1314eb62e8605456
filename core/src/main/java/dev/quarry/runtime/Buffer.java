package dev.quarry.runtime;

import dev.quarry.Handle;
import dev.quarry.failure.AllocationId;
import dev.quarry.storage.Region;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Memory of a device as programs pass it around: an owner of an allocation, and the window of its
/// bytes that is meant.
///
/// Threads: every method may be called from any thread, takes no lock and never blocks. A buffer
/// may be closed while a command that names it is on its way; the memory stays until that is done.
/// One that becomes unreachable without being closed is closed by a later operation of the device.
public final class Buffer implements AutoCloseable {
  final Allocation allocation;

  /// The device's resource for this window, kept from its first use. Under the device's lock.
  @Nullable Object resource;

  private final @Nullable Handle handle;
  private final @Nullable String label;
  private final long fromFront;
  private final long fromBack;

  /// Whether a buffer without a handle is open; null where there is a handle to ask.
  private final @Nullable AtomicBoolean open;

  Buffer(
      Allocation allocation,
      @Nullable Handle handle,
      @Nullable String label,
      long fromFront,
      long fromBack) {
    this.allocation = allocation;
    this.handle = handle;
    this.label = label;
    this.fromFront = fromFront;
    this.fromBack = fromBack;
    this.open = handle == null ? new AtomicBoolean(true) : null;
  }

  /// The identity of the allocation, shared by all of its buffers.
  public AllocationId id() {
    return allocation.id();
  }

  /// The bytes of the whole allocation.
  public long size() {
    return allocation.size;
  }

  /// The bytes of the window: the size less both offsets.
  public long length() {
    return allocation.size - fromFront - fromBack;
  }

  /// The bytes before the window.
  public long fromFront() {
    return fromFront;
  }

  /// The bytes behind the window.
  public long fromBack() {
    return fromBack;
  }

  /// What the program calls the allocation, where it does.
  public Optional<String> label() {
    return Optional.ofNullable(label);
  }

  /// Whether there is memory behind it. Not when the reservation failed and the failure was
  /// deferred to the buffer's uses.
  public boolean isAllocated() {
    return allocation.slice != null;
  }

  /// Whether this is the only buffer of its allocation, so that its bytes may be overwritten in
  /// place. False once it is closed, and where there is no memory.
  public boolean canMut() {
    return handle != null && handle.canMut();
  }

  /// Whether [#close] was not called yet.
  public boolean isOpen() {
    return open == null ? handle != null && !handle.isClosed() : open.get();
  }

  /// A further buffer of the same window, to be closed by the caller.
  ///
  /// @throws IllegalStateException when this one is closed
  public Buffer duplicate() {
    return view(0, 0);
  }

  /// A further buffer whose window is this one without its first and its last bytes, to be closed
  /// by the caller. Offsets add up; the allocation's size stays.
  ///
  /// @throws IndexOutOfBoundsException when the window is smaller than that
  /// @throws IllegalStateException when this one is closed
  public Buffer view(long lessFront, long lessBack) {
    Region.checkTrim(length(), lessFront, lessBack);
    checkOpen();
    Handle further = handle == null ? null : handle.duplicate();
    if (handle == null && !allocation.addOwner())
      throw new IllegalStateException(this + " was closed before");
    return new Buffer(allocation, further, label, fromFront + lessFront, fromBack + lessBack);
  }

  /// A window of this buffer for one command, which keeps the memory by itself.
  Buffer window(long offset, long bytes) {
    Region.checkTrim(length(), offset, length() - offset - bytes);
    if (offset == 0 && bytes == length()) return this;
    return new Buffer(
        allocation, handle, label, fromFront + offset, fromBack + length() - offset - bytes);
  }

  /// The same window for a graph, which keeps the memory by itself.
  Buffer inGraph() {
    Buffer recorded = new Buffer(allocation, handle, label, fromFront, fromBack);
    recorded.resource = resource;
    return recorded;
  }

  /// Where the window ends in the allocation.
  long end() {
    return allocation.size - fromBack;
  }

  void checkOpen() {
    if (!isOpen()) throw new IllegalStateException(this + " was closed before");
  }

  /// Gives this owner up. With the last buffer of an allocation its memory is free for the next
  /// reservation of its stream, once no command needs it. Closing again does nothing.
  @Override
  public void close() {
    if (handle != null) handle.close();
    else if (open != null && open.compareAndSet(true, false)) allocation.dropOwner();
  }

  @Override
  public String toString() {
    String window = length() == size() ? "" : ", window of " + length() + " from " + fromFront;
    return "buffer "
        + (label == null ? "" : "'" + label + "' ")
        + "of "
        + id()
        + " ("
        + size()
        + " bytes"
        + window
        + ")";
  }
}
