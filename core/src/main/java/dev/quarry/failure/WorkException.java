package dev.quarry.failure;

/// Carries a [WorkFailure] to a caller. Queues throw it to refuse or to report; devices throw it
/// where a caller waits for work or reads what it was to write.
public final class WorkException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient WorkFailure failure;

  /// An exception whose message is that of the failure.
  public WorkException(WorkFailure failure) {
    super(failure.message());
    this.failure = failure;
  }

  /// An exception whose message is that of the failure, with what led to it.
  public WorkException(WorkFailure failure, Throwable cause) {
    super(failure.message(), cause);
    this.failure = failure;
  }

  /// What went wrong.
  public WorkFailure failure() {
    return failure;
  }
}
