package dev.quarry.trace;

import org.jspecify.annotations.Nullable;

/// One pass over a [Trace], an event at a time.
///
/// What a reader promises, whatever the format:
/// - Ids are the numbers 0, 1, 2, … in the order of the allocations, so an id is never used twice.
/// - A free names an allocation that is live and repeats its size. A free is asked at most once,
///   before it completes.
/// - Memory grows with what is live at one time, not with the length of the trace. The one
///   exception is MiniMalloc CSV, whose buffers come in no order and have to be sorted.
///
/// What breaks the rules of the format is a [TraceException] that names the line. What the format
/// says is normal (a log that starts late, say) is passed over and counted in the [#notes].
///
/// A reader belongs to one thread at a time and is not usable after [#next] has thrown.
public interface TraceReader extends AutoCloseable {
  /// The next event, or null when the trace has ended.
  ///
  /// @throws TraceException if the source cannot be read or breaks the rules of its format
  @Nullable TraceEvent next();

  /// What was noticed up to here; complete once [#next] has returned null.
  TraceNotes notes();

  /// How many bytes of the source have been taken in, before decompression: a measure of progress
  /// against [Trace#length].
  long position();

  /// Releases the source. Closing twice does nothing.
  @Override
  void close();
}
