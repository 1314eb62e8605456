package dev.quarry.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One line on the standard error that says what a long run is doing, rewritten in place and gone
/// in the end. It appears after a second, and only where somebody watches.
///
/// The thread that works tells where it is; a thread of this class does the writing, so that the
/// line also moves while the work says nothing.
final class Progress implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration PACE = Duration.ofMillis(200);
  private static final int WIDTH = 79;

  private final PrintWriter err;
  private final @Nullable Thread ticker;
  private volatile String stage = "reading";
  private volatile long position;
  private volatile long length;

  private Progress(PrintWriter err, boolean shown, Duration patience, Duration pace) {
    this.err = err;
    this.ticker =
        shown
            ? Thread.ofPlatform().daemon().name("progress").unstarted(() -> show(patience, pace))
            : null;
  }

  static Progress on(Streams streams, boolean quiet) {
    return on(streams, quiet, PATIENCE, PACE);
  }

  static Progress on(Streams streams, boolean quiet, Duration patience, Duration pace) {
    Progress progress = new Progress(streams.err(), streams.watched() && !quiet, patience, pace);
    if (progress.ticker != null) progress.ticker.start();
    return progress;
  }

  /// A new stage of the work.
  ///
  /// @param length how far its position will get; 0 when nobody knows
  void stage(String stage, long length) {
    this.stage = stage;
    this.position = 0;
    this.length = length;
  }

  void position(long position) {
    this.position = position;
  }

  private void show(Duration patience, Duration pace) {
    String shown = "";
    long begun = System.nanoTime();
    try {
      Thread.sleep(patience);
      while (true) {
        String line = line(Duration.ofNanos(System.nanoTime() - begun).toSeconds());
        err.print("\r" + line + " ".repeat(Math.max(0, shown.length() - line.length())));
        err.flush();
        shown = line;
        Thread.sleep(pace);
      }
    } catch (InterruptedException _) {
      if (!shown.isEmpty()) err.print("\r" + " ".repeat(shown.length()) + "\r");
      err.flush();
    }
  }

  private String line(long seconds) {
    long whole = length;
    String share =
        whole == 0
            ? ""
            : String.format(
                Locale.ROOT, "%3d %% ", Math.min(100, (long) (100.0 * position / whole)));
    String line = "quarry: " + seconds + " s, " + share + stage;
    return line.length() <= WIDTH ? line : line.substring(0, WIDTH - 3) + "...";
  }

  @Override
  public void close() {
    erase();
  }

  /// Ends the line, before something else is printed.
  void erase() {
    if (ticker == null) return;
    ticker.interrupt();
    boolean interrupted = false;
    while (ticker.isAlive()) {
      try {
        ticker.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }
}
