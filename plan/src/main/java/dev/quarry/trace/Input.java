package dev.quarry.trace;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/// The bytes of a source as its format means them: gzip, known by its first two bytes, is taken
/// off.
///
/// Refused are gzip within gzip and data that expands beyond what traces do. Deflate can reach a
/// factor of 1032; a trace of ever the same two lines stays near 300, and small inputs may do as
/// they like.
final class Input implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final long BOMB_BYTES = 64L << 20;
  private static final long BOMB_FACTOR = 500;

  private final String source;
  private final Counter raw;
  private final InputStream data;
  private final boolean gzip;
  private long taken;

  private Input(String source, Counter raw, InputStream data, boolean gzip) {
    this.source = source;
    this.raw = raw;
    this.data = data;
    this.gzip = gzip;
  }

  static Input open(String name, Source source) {
    @Nullable InputStream opened = null;
    try {
      opened = source.open();
      Counter raw = new Counter(opened);
      BufferedInputStream data = new BufferedInputStream(raw, BUFFER);
      if (!startsWithGzip(data)) {
        return new Input(name, raw, data, false);
      }
      data = new BufferedInputStream(new GZIPInputStream(data, BUFFER), BUFFER);
      if (startsWithGzip(data)) {
        throw new TraceException(name, 0, "gzip within gzip", "a trace compressed at most once");
      }
      return new Input(name, raw, data, true);
    } catch (IOException e) {
      closeQuietly(opened);
      throw failure(name, 0, e);
    } catch (TraceException e) {
      closeQuietly(opened);
      throw e;
    }
  }

  /// Reads some bytes, or returns -1 at the end.
  ///
  /// @param line where the reader is, for the message if that fails
  int read(byte[] target, int from, int length, long line) {
    try {
      int n = data.read(target, from, length);
      taken += Math.max(n, 0);
      if (gzip && taken > BOMB_BYTES && taken / BOMB_FACTOR > raw.count) {
        throw new TraceException(
            source,
            line,
            "gzip data that expands more than " + BOMB_FACTOR + " times",
            "a compressed trace (unpack it first if it is one)");
      }
      return n;
    } catch (IOException e) {
      throw failure(source, line, e);
    }
  }

  /// Bytes of the source taken in so far, before decompression.
  long position() {
    return raw.count;
  }

  @Override
  public void close() {
    closeQuietly(data);
  }

  static TraceException failure(String name, long line, IOException e) {
    return switch (e) {
      case EOFException _ ->
          new TraceException(name, line, "gzip data that ends too early", "a complete file", e);
      case ZipException _ ->
          new TraceException(
              name, line, "damaged gzip data (" + e.getMessage() + ")", "an intact file", e);
      default ->
          new TraceException(name, line, "an input error (" + e + ")", "a readable trace", e);
    };
  }

  private static boolean startsWithGzip(BufferedInputStream in) throws IOException {
    in.mark(2);
    boolean magic = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    return magic;
  }

  private static void closeQuietly(@Nullable AutoCloseable closeable) {
    if (closeable == null) return;
    try {
      closeable.close();
    } catch (Exception _) {
      // Nothing was written, so nothing is lost when closing fails.
    }
  }

  private static final class Counter extends FilterInputStream {
    private long count;

    Counter(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      count += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
      int n = super.read(target, from, length);
      count += Math.max(n, 0);
      return n;
    }
  }
}
