package dev.quarry.trace;

import dev.quarry.file.AtomicFile;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/// Writes a trace in one of Quarry's own forms.
///
/// Lifetimes are numbered 0, 1, 2, … in the order of their allocations, whatever ids the events
/// bring, so reading the result gives back what a reader would have handed out. Events are held to
/// the rules of the format; one that breaks them (an id freed that is not live, say) is a
/// [TraceException] that names the line it would have had, as is a failure of the output.
///
/// A file appears under its name when [#finish] has returned, complete and on the disk. Closing
/// without finishing leaves no trace of it, and leaves an older file of that name as it was:
///
/// ```java
/// try (TraceWriter writer = TraceWriter.to(path, Form.CSV, Packing.GZIP)) {
///   writer.writeAll(reader);
///   writer.finish();
/// }
/// ```
///
/// A writer belongs to one thread at a time.
public final class TraceWriter implements AutoCloseable {
  /// How events are written down.
  public enum Form {
    /// Comma-separated values; without stacks.
    CSV,
    /// One JSON object in each line; with stacks.
    JSON_LINES
  }

  /// Whether the bytes are compressed.
  public enum Packing {
    /// As they are.
    PLAIN,
    /// As gzip.
    GZIP
  }

  private final String name;
  private final @Nullable AtomicFile file;
  private final OutputStream out;
  private final @Nullable GZIPOutputStream gzip;
  private final EventEncoder encoder;
  private final ByteArrayOutputStream record = new ByteArrayOutputStream();
  private final Ledger ledger;
  private long line;
  private boolean finished;

  private TraceWriter(
      String name, @Nullable AtomicFile file, OutputStream target, Form form, Packing packing)
      throws IOException {
    this.name = name;
    this.file = file;
    ledger = new Ledger(name);
    gzip = packing == Packing.GZIP ? new GZIPOutputStream(target, 1 << 16) : null;
    out = new BufferedOutputStream(gzip == null ? target : gzip, 1 << 16);
    encoder =
        switch (form) {
          case CSV -> new CsvEncoder(record);
          case JSON_LINES -> new JsonEncoder(record);
        };
    encoder.header();
    writeRecord();
  }

  /// Writes to a file.
  public static TraceWriter to(Path path, Form form, Packing packing) {
    String name = path.toString();
    AtomicFile file = null;
    try {
      file = AtomicFile.create(path);
      return new TraceWriter(name, file, file.stream(), form, packing);
    } catch (IOException e) {
      if (file != null) {
        file.discard();
      }
      throw failure(name, e);
    }
  }

  /// Writes to a stream, which [#finish] flushes and nothing closes.
  public static TraceWriter to(OutputStream out, Form form, Packing packing) {
    try {
      return new TraceWriter("output", null, out, form, packing);
    } catch (IOException e) {
      throw failure("output", e);
    }
  }

  /// Writes one event.
  public void write(TraceEvent event) {
    if (finished) {
      throw new IllegalStateException("the trace is finished");
    }
    try {
      String obstacle = encoder.obstacle(event);
      if (obstacle != null) {
        throw new TraceException(
            name, line + 1, obstacle, "an event that CSV can carry; JSON lines carry it");
      }
      encoder.encode(ledger.enter(line + 1, event));
      writeRecord();
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /// Writes all that is left in a reader.
  public void writeAll(TraceReader reader) {
    for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
      write(event);
    }
  }

  private void writeRecord() throws IOException {
    line++;
    if (record.size() > LineReader.MAX_LINE) {
      throw new TraceException(
          name, line, "an event of " + record.size() + " bytes", "at most " + LineReader.MAX_LINE);
    }
    record.writeTo(out);
    record.reset();
  }

  /// Completes the output. For a file: it is on the disk and has its name when this returns.
  public void finish() {
    if (finished) {
      return;
    }
    try {
      out.flush();
      if (gzip != null) {
        gzip.finish();
        gzip.flush();
      }
      if (file != null) {
        file.commit();
      }
      finished = true;
    } catch (IOException e) {
      throw failure(name, e);
    }
  }

  /// Discards the file unless the trace is finished.
  @Override
  public void close() {
    if (file != null && !finished) {
      file.discard();
    }
    finished = true;
  }

  private static TraceException failure(String name, IOException e) {
    return new TraceException(name, 0, "an output error (" + e + ")", "a place to write to", e);
  }
}
