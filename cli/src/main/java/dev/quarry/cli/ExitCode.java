package dev.quarry.cli;

/// What the process says to its caller when it ends.
final class ExitCode {
  /// The question was answered, and the answer is yes where it could have been no.
  static final int DONE = 0;

  /// The work does not fit, or a plan is not what it says.
  static final int CHECK_FAILED = 1;

  /// The words or the files were not what the command needs, or its output went nowhere.
  static final int MISUSE = 2;

  private ExitCode() {}
}
