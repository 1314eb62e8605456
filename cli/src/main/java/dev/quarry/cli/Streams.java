package dev.quarry.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/// The three streams of a run, and whether somebody watches the third.
///
/// What can not be written to the standard output is remembered rather than thrown: a reader that
/// leaves early (`quarry inspect run.csv | head -1`) has what it wanted, and any other reason is
/// told once, at the end.
final class Streams {
  private final InputStream in;
  private final Outlet outlet;
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean watched;

  /// @param watched whether the standard error is a terminal
  Streams(InputStream in, OutputStream out, OutputStream err, Charset charset, boolean watched) {
    this.in = in;
    this.outlet = new Outlet(out);
    this.out = new PrintWriter(outlet, false, charset);
    this.err = new PrintWriter(err, true, charset);
    this.watched = watched;
  }

  /// Those of this process. A program on the JVM can not ask whether its standard error is a
  /// terminal; the launcher says so.
  static Streams ofProcess() {
    return new Streams(
        System.in,
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        Charset.forName(System.getProperty("stdout.encoding", "UTF-8")),
        Boolean.getBoolean("quarry.terminal"));
  }

  InputStream in() {
    return in;
  }

  PrintWriter out() {
    return out;
  }

  PrintWriter err() {
    return err;
  }

  boolean watched() {
    return watched;
  }

  /// Writes everything out, and tells why if that failed for another reason than a reader that has
  /// left.
  @Nullable String problem() {
    out.flush();
    IOException failure = outlet.failure;
    if (failure == null) return null;
    String reason = String.valueOf(failure.getMessage());
    return reason.contains("Broken pipe") || reason.contains("pipe is being closed")
        ? null
        : reason;
  }

  /// Passes on what it can; after the first failure nothing.
  private static final class Outlet extends OutputStream {
    private final OutputStream target;
    private @Nullable IOException failure;

    Outlet(OutputStream target) {
      this.target = target;
    }

    @Override
    public void write(int one) {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      if (failure != null) return;
      try {
        target.write(bytes, from, length);
      } catch (IOException e) {
        failure = e;
      }
    }

    @Override
    public void flush() {
      if (failure != null) return;
      try {
        target.flush();
      } catch (IOException e) {
        failure = e;
      }
    }
  }
}
