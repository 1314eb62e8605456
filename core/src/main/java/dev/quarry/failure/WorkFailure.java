package dev.quarry.failure;

import java.util.List;
import java.util.stream.Collectors;

/// Why work on a device did not happen, or did not finish.
public sealed interface WorkFailure {
  /// A description for people; several lines when there is a chain to tell.
  String message();

  /// Whether the work was refused before it ran: every root is a compile error or a resource limit.
  default boolean refusedBeforeRunning() {
    return false;
  }

  /// The caller asked for something that is not valid.
  ///
  /// @param reason what is not valid
  record Validation(String reason) implements WorkFailure {
    @Override
    public String message() {
      return reason;
    }
  }

  /// A failure of no known kind.
  ///
  /// @param reason the device's words
  record Generic(String reason) implements WorkFailure {
    @Override
    public String message() {
      return reason;
    }
  }

  /// A launch did not compile, exceeded a limit, or was refused by the driver.
  ///
  /// @param reason the compiler's or the driver's words
  /// @param cause which of these it was
  record Launch(String reason, Cause cause) implements WorkFailure {
    /// What refused a launch.
    public enum Cause {
      /// The kernel did not compile.
      COMPILE,
      /// The kernel asked for more than the device has of a resource.
      RESOURCE_LIMIT,
      /// The driver refused for another reason.
      OTHER
    }

    @Override
    public String message() {
      return "launch failed: " + reason;
    }

    @Override
    public boolean refusedBeforeRunning() {
      return cause != Cause.OTHER;
    }
  }

  /// Memory could not be had or used.
  ///
  /// @param failure why
  record Memory(MemoryFailure failure) implements WorkFailure {
    @Override
    public String message() {
      return failure.message();
    }
  }

  /// Work was torn down by an exception before it said how it ended.
  record TornDown() implements WorkFailure {
    @Override
    public String message() {
      return "the work writing this memory was torn down before it finished";
    }
  }

  /// Memory is read that nobody has written, because the work meant to write it did not run.
  ///
  /// @param failure the failure's number
  /// @param claimed how many allocations it claims now
  /// @param chain the skipped work between the root and the memory asked about, newest first
  /// @param root what went wrong first
  /// @param asked the memory asked about
  record Unwritten(
      FailureId failure, int claimed, List<String> chain, WorkFailure root, AllocationId asked)
      implements WorkFailure {
    /// Copies the chain.
    public Unwritten {
      chain = List.copyOf(chain);
    }

    @Override
    public String message() {
      String skipped = chain.stream().map(line -> "\n  " + line).collect(Collectors.joining());
      return asked
          + " was never written, because of failure "
          + failure
          + " (which claims "
          + claimed
          + "): "
          + root.message()
          + skipped;
    }

    @Override
    public boolean refusedBeforeRunning() {
      return root.refusedBeforeRunning();
    }
  }

  /// The work was skipped, and the failure of its input already says why.
  record Skip() implements WorkFailure {
    @Override
    public String message() {
      return "skipped: an input was never written";
    }
  }

  /// Several failures at once, in the order they were found.
  ///
  /// @param failures the failures
  record Several(List<WorkFailure> failures) implements WorkFailure {
    /// Copies the list.
    public Several {
      failures = List.copyOf(failures);
    }

    @Override
    public String message() {
      return failures.stream().map(WorkFailure::message).collect(Collectors.joining("\n"));
    }

    @Override
    public boolean refusedBeforeRunning() {
      return failures.stream().allMatch(WorkFailure::refusedBeforeRunning);
    }
  }
}
