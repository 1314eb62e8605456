package dev.quarry.plan;

import dev.quarry.trace.Trace;
import org.jspecify.annotations.Nullable;

/// A plan can not be made, or a plan file can not be read or written; the message is one sentence
/// that says what, where and what was expected.
public final class PlanException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean aboutTheWork;

  private PlanException(String message, boolean aboutTheWork, @Nullable Throwable cause) {
    super(message, cause);
    this.aboutTheWork = aboutTheWork;
  }

  /// The work can not be served by what it was planned for.
  static PlanException ofWork(String message) {
    return new PlanException(message, true, null);
  }

  static PlanException nothingToPlan(Trace trace) {
    return of(trace.name() + ": found no allocation, expected work to plan for");
  }

  /// Something is wrong with a plan file or with what was asked.
  static PlanException of(String message) {
    return new PlanException(message, false, null);
  }

  static PlanException of(String message, Throwable cause) {
    return new PlanException(message, false, cause);
  }

  /// Whether the work does not fit, rather than that something could not be read, written or
  /// understood.
  public boolean isAboutTheWork() {
    return aboutTheWork;
  }
}
