package dev.quarry.runtime;

import dev.quarry.failure.FailureId;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;

/// What became of a launch.
public sealed interface LaunchOutcome {
  /// Its body ran and did not fail.
  record Executed() implements LaunchOutcome {}

  /// A dry run is open: the launch was prepared, and touched no buffer.
  record DryRun() implements LaunchOutcome {}

  /// A buffer it needs was never written, so it was not run, and what it was to write carries the
  /// same failure.
  ///
  /// @param because the failure
  record Skipped(FailureId because) implements LaunchOutcome {}

  /// It could not begin, or its body said that it failed. What it was to write carries the failure.
  ///
  /// @param failure why
  record Failed(WorkFailure failure) implements LaunchOutcome {}

  /// Turns what is not as wished into an exception, for callers that want to stop there.
  ///
  /// @throws WorkException when the launch failed, or was skipped for a failure
  default void orThrow() {
    switch (this) {
      case Executed _, DryRun _ -> {}
      case Skipped _ -> throw new WorkException(new WorkFailure.Skip());
      case Failed(WorkFailure failure) -> throw new WorkException(failure);
    }
  }
}
