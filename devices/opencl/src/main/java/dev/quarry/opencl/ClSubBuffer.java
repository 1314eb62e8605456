package dev.quarry.opencl;

/// A `cl_mem` over a part of another. Closing it releases it; closing again does nothing.
///
/// Threads: single-owner.
public final class ClSubBuffer implements AutoCloseable {
  private final OpenCl cl;
  private final long handle;
  private boolean closed;

  ClSubBuffer(OpenCl cl, long handle) {
    this.cl = cl;
    this.handle = handle;
  }

  /// The `cl_mem`, to set as a kernel's argument.
  public long handle() {
    return handle;
  }

  /// @throws dev.quarry.failure.MemoryException when the driver refuses
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    try {
      cl.releaseBuffer(handle);
    } catch (ClException e) {
      throw e.ofRelease();
    }
  }
}
