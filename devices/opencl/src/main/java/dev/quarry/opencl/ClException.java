package dev.quarry.opencl;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;

/// A call of OpenCL that was refused. Never leaves the package: storages and queues say what it
/// means for memory or for work.
final class ClException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  ClException(String call, int status) {
    super(call + " answered " + ClStatus.text(status));
    this.status = status;
  }

  /// As a refusal of memory.
  ///
  /// @param size the bytes asked for
  MemoryException ofMemory(long size) {
    return new MemoryException(
        ClStatus.isOutOfMemory(status)
            ? new MemoryFailure.OutOfMemory(size)
            : status == ClStatus.INVALID_BUFFER_SIZE
                ? new MemoryFailure.BufferTooBig(size)
                : new MemoryFailure.Unknown(getMessage()),
        this);
  }

  /// As work that can not be done.
  ///
  /// @param size the bytes that the command touches
  WorkException ofWork(long size) {
    return new WorkException(ClStatus.ofWork(status, getMessage(), size), this);
  }

  /// As memory that the driver does not take back.
  MemoryException ofRelease() {
    return new MemoryException(new MemoryFailure.ReleaseFailed(getMessage()), this);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
