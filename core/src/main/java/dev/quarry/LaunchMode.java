package dev.quarry;

/// What becomes of a launch. Decided by the thread that issues it, and sent along with it.
public enum LaunchMode {
  /// Run it.
  EXECUTE,
  /// Compile and check it, then stop before it touches a buffer.
  SKIP;

  /// The mode of a launch issued now by the calling thread: skipped in a [DryRun], unless the
  /// thread is in a [RealRun].
  public static LaunchMode current() {
    return DryRun.isOpen() && RealRun.depth() == 0 ? SKIP : EXECUTE;
  }
}
