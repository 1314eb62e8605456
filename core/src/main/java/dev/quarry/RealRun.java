package dev.quarry;

/// A scope inside a dry run in which the calling thread's launches are executed all the same, for
/// work whose result the measured program needs.
///
/// Per thread, and to be closed by the thread that opened it; nests.
public final class RealRun implements AutoCloseable {
  private static final ThreadLocal<Integer> DEPTH = ThreadLocal.withInitial(() -> 0);

  private final Thread owner = Thread.currentThread();
  private boolean open = true;

  private RealRun() {
    DEPTH.set(depth() + 1);
  }

  /// Opens a real run on the calling thread.
  public static RealRun open() {
    return new RealRun();
  }

  /// How many real runs the calling thread has open.
  public static int depth() {
    return DEPTH.get();
  }

  /// Closes this real run. Closing again does nothing.
  ///
  /// @throws IllegalStateException when another thread opened it
  @Override
  public void close() {
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(
          "a real run opened by " + owner + " is closed by " + Thread.currentThread());
    }
    if (!open) return;
    open = false;
    if (depth() <= 1) DEPTH.remove();
    else DEPTH.set(depth() - 1);
  }
}
