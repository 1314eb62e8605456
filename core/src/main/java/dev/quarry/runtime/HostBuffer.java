package dev.quarry.runtime;

import dev.quarry.Handle;
import java.lang.foreign.MemorySegment;

/// Pinned host memory, which the device copies to and from without staging.
///
/// Threads: any thread may use the segment and close the buffer, once no copy is filling it; memory
/// that a copy still reads stays reserved until that is done, but writing to it before changes what
/// is copied.
public final class HostBuffer implements AutoCloseable {
  final Handle handle;
  private final MemorySegment segment;

  HostBuffer(Handle handle, MemorySegment segment) {
    this.handle = handle;
    this.segment = segment;
  }

  /// The bytes. They are used again for others once this buffer is closed.
  public MemorySegment segment() {
    if (handle.isClosed()) throw new IllegalStateException(this + " was closed before");
    return segment;
  }

  /// The bytes asked for.
  public long size() {
    return segment.byteSize();
  }

  /// Gives the memory up. Closing again does nothing.
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "pinned host buffer (" + size() + " bytes)";
  }
}
