package dev.quarry.plan;

/// A plan can not be made, or a plan file can not be read or written; the message is one sentence
/// that says what, where and what was expected.
public final class PlanException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PlanException(String message) {
    super(message);
  }

  PlanException(String message, Throwable cause) {
    super(message, cause);
  }
}
