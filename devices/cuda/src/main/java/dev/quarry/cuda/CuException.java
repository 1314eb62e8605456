package dev.quarry.cuda;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;

/// A call of the driver that was refused. Never leaves the package: storages and queues say what it
/// means for memory or for work.
final class CuException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  CuException(String call, int status) {
    super(call + " answered " + CuStatus.text(status));
    this.status = status;
  }

  int status() {
    return status;
  }

  boolean isLost() {
    return CuStatus.isLost(status);
  }

  /// As a refusal of memory.
  ///
  /// @param size the bytes asked for
  MemoryException ofMemory(long size) {
    return new MemoryException(
        status == CuStatus.OUT_OF_MEMORY
            ? new MemoryFailure.OutOfMemory(size)
            : new MemoryFailure.Unknown(getMessage()),
        this);
  }

  /// As a failure of work.
  ///
  /// @param size the bytes that the commands touch
  WorkFailure failure(long size) {
    return status == CuStatus.OUT_OF_MEMORY
        ? new WorkFailure.Memory(new MemoryFailure.OutOfMemory(size))
        : new WorkFailure.Generic(getMessage());
  }

  /// As work that can not be done.
  ///
  /// @param size the bytes that the command touches
  WorkException ofWork(long size) {
    return new WorkException(failure(size), this);
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
