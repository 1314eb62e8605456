package dev.quarry.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// A recorded run that can be read again and again.
///
/// The format is told from the content; gzip is taken off on the way. Nothing is read before it is
/// asked for, except that a stream is copied to a temporary file, which goes away on [#close].
/// Immutable: any number of readers may be open, in any threads, as long as the trace is not
/// closed.
///
/// Every method that reads throws a [TraceException] when the source cannot be read or is no trace.
public sealed interface Trace extends AutoCloseable permits SourceTrace, EventTrace {
  /// The trace in a file. What is no regular file (a pipe, say) is read at once, like a stream.
  static Trace of(Path path) {
    String name = path.toString();
    if (Files.isDirectory(path)) {
      throw new TraceException(name, 0, "a directory", "a trace file");
    }
    if (Files.isRegularFile(path)) {
      return new SourceTrace(name, new Source.File(path));
    }
    try (InputStream in = Files.newInputStream(path)) {
      return of(in, name);
    } catch (NoSuchFileException e) {
      throw new TraceException(name, 0, "no such file", "a trace file", e);
    } catch (IOException e) {
      throw Input.failure(name, 0, e);
    }
  }

  /// The trace in a stream, which is read to its end and not closed.
  ///
  /// @param name what messages call it
  static Trace of(InputStream in, String name) {
    try {
      return new SourceTrace(name, Source.Spooled.of(in));
    } catch (IOException e) {
      throw Input.failure(name, 0, e);
    }
  }

  /// Events that a program already has. Readers number the lifetimes anew and hold the events to
  /// the rules of a file; a message names an event's position, from 1, as the line. Format and
  /// digest are those of the JSON lines that a [TraceWriter] makes of them.
  static Trace of(List<TraceEvent> events) {
    return new EventTrace(events);
  }

  /// What messages and reports call it: the path as it was given, for a file.
  String name();

  /// The format of the content.
  TraceFormat format();

  /// A fresh reader, at the beginning.
  TraceReader open();

  /// How much there is to read, in the unit of [TraceReader#position]: bytes before decompression,
  /// or the number of events where the program gave events.
  long length();

  /// The SHA-256 of the bytes, before decompression, in lower-case hexadecimal.
  String sha256();

  /// The same bytes with the bounds of lifetimes read as given, for MiniMalloc CSV; no other format
  /// looks at it. Closing either closes both.
  Trace withEnds(LifetimeEnds ends);

  /// The same bytes read for one device, for formats that record several: without it, they are read
  /// for the device with the most events. No other format looks at it. Closing either closes both.
  ///
  /// @param device its number in the source, from 0
  Trace withDevice(int device);

  /// The same bytes read as a format the user knows them to be in. Closing either closes both.
  Trace withFormat(TraceFormat format);

  /// Releases the temporary file, if there is one.
  @Override
  void close();
}
