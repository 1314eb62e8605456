package dev.quarry.failure;

/// Carries a [MemoryFailure] to a caller. Storages throw it to refuse; memories throw it to report.
public final class MemoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient MemoryFailure failure;

  /// An exception whose message is that of the failure.
  public MemoryException(MemoryFailure failure) {
    super(failure.message());
    this.failure = failure;
  }

  /// An exception whose message is that of the failure, with the native exception that led to it.
  public MemoryException(MemoryFailure failure, Throwable cause) {
    super(failure.message(), cause);
    this.failure = failure;
  }

  /// What went wrong.
  public MemoryFailure failure() {
    return failure;
  }
}
