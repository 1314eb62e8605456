package dev.quarry.plan;

import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceEvent.Segment;
import dev.quarry.trace.TraceException;
import dev.quarry.trace.TraceNotes;
import dev.quarry.trace.TraceReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/// The figures of a trace, from one pass over it. Sizes are the bytes asked for.
///
/// @param events all events, marks included
/// @param allocations lifetimes begun
/// @param frees lifetimes ended: frees that completed
/// @param failures requests refused
/// @param marks remarks
/// @param load the largest sum of sizes live at one time, which no layout can beat ([LowerBound])
/// @param loadReachedAt the number, from 1, of the event that first reached it; 0 if nothing was
///   ever live
/// @param peakLive the largest number of lifetimes at one time
/// @param largest the largest allocation
/// @param allocatedBytes the sizes of all allocations together
/// @param neverFreed lifetimes that the trace does not end
/// @param neverFreedBytes their sizes together
/// @param sizes how the sizes are spread, from small to large, without the empty classes
/// @param streams the figures of each stream, the busiest first; those beyond the first
///   [#MAX_STREAMS] seen are in none
/// @param notes what the reader noticed
public record TraceStats(
    long events,
    long allocations,
    long frees,
    long failures,
    long marks,
    long load,
    long loadReachedAt,
    long peakLive,
    long largest,
    long allocatedBytes,
    long neverFreed,
    long neverFreedBytes,
    List<SizeClass> sizes,
    List<StreamFigures> streams,
    TraceNotes notes) {
  /// The largest number of streams told apart: a source with more has put something else in the
  /// place of a stream.
  public static final int MAX_STREAMS = 4096;

  public TraceStats {
    sizes = List.copyOf(sizes);
    streams = List.copyOf(streams);
  }

  /// The allocations of one power of two: sizes from `least` to `most`.
  ///
  /// @param least bytes, a power of two; 0 for the class of empty allocations
  /// @param most bytes, `2 * least - 1`; 0 for the class of empty allocations
  /// @param count how many
  /// @param bytes their sizes together
  public record SizeClass(long least, long most, long count, long bytes) {}

  /// What one stream did.
  ///
  /// @param stream its number
  /// @param allocations made on it
  /// @param frees completed on it
  /// @param allocatedBytes the sizes of its allocations together
  public record StreamFigures(long stream, long allocations, long frees, long allocatedBytes) {}

  /// Reads a trace to its end.
  ///
  /// @throws TraceException if it cannot be read, or a sum of sizes exceeds what a long can hold
  public static TraceStats of(Trace trace) {
    return of(trace, position -> {});
  }

  /// Reads a trace to its end.
  ///
  /// @param progress told the reader's position now and then
  /// @throws TraceException if it cannot be read, or a sum of sizes exceeds what a long can hold
  public static TraceStats of(Trace trace, LongConsumer progress) {
    Counts counts = new Counts();
    try (TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
        counts.add(event);
        if ((counts.events & 0xfff) == 0) progress.accept(reader.position());
      }
      return counts.stats(reader.notes());
    } catch (ArithmeticException _) {
      throw LowerBound.tooLarge(trace.name(), counts.events);
    }
  }

  private static final class Counts {
    private final LowerBound bound = new LowerBound();
    private final long[] classCounts = new long[Long.SIZE];
    private final long[] classBytes = new long[Long.SIZE];
    private final Map<Long, StreamCounts> streams = new TreeMap<>();
    private final StreamCounts rest = new StreamCounts();
    private long lastStream;
    private StreamCounts last = rest;
    private long events;
    private long allocations;
    private long frees;
    private long failures;
    private long marks;
    private long peakLive;
    private long largest;
    private long allocatedBytes;

    void add(TraceEvent event) {
      events++;
      bound.add(event);
      switch (event) {
        case Allocate a -> add(a);
        case Free f when f.kind() == Free.Kind.COMPLETED -> {
          frees++;
          stream(f.stream()).frees++;
        }
        case Free _ -> {}
        case Mark _ -> marks++;
        case Failure _ -> failures++;
        case Segment _ -> {}
      }
    }

    private void add(Allocate a) {
      allocations++;
      peakLive = Math.max(peakLive, allocations - frees);
      largest = Math.max(largest, a.size());
      allocatedBytes = Math.addExact(allocatedBytes, a.size());
      int sizeClass = Long.SIZE - Long.numberOfLeadingZeros(a.size());
      classCounts[sizeClass]++;
      classBytes[sizeClass] += a.size();
      StreamCounts stream = stream(a.stream());
      stream.allocations++;
      stream.bytes += a.size();
    }

    /// Most events are on the stream of the one before.
    private StreamCounts stream(long stream) {
      if (stream != lastStream || last == rest) {
        StreamCounts known = streams.get(stream);
        if (known == null && streams.size() < MAX_STREAMS) {
          known = new StreamCounts();
          streams.put(stream, known);
        }
        last = known == null ? rest : known;
        lastStream = stream;
      }
      return last;
    }

    TraceStats stats(TraceNotes notes) {
      return new TraceStats(
          events,
          allocations,
          frees,
          failures,
          marks,
          bound.load(),
          bound.reachedAt(),
          peakLive,
          largest,
          allocatedBytes,
          allocations - frees,
          bound.live(),
          sizes(),
          streamFigures(),
          notes);
    }

    private List<SizeClass> sizes() {
      List<SizeClass> sizes = new ArrayList<>();
      for (int i = 0; i < classCounts.length; i++) {
        if (classCounts[i] > 0) {
          long least = i == 0 ? 0 : 1L << (i - 1);
          sizes.add(
              new SizeClass(least, i == 0 ? 0 : 2 * least - 1, classCounts[i], classBytes[i]));
        }
      }
      return sizes;
    }

    private List<StreamFigures> streamFigures() {
      List<StreamFigures> figures = new ArrayList<>();
      streams.forEach((stream, counts) -> figures.add(counts.figures(stream)));
      // Stable: equally busy streams stay in the order of their numbers.
      figures.sort(
          (a, b) -> Long.compare(b.allocations() + b.frees(), a.allocations() + a.frees()));
      return figures;
    }
  }

  private static final class StreamCounts {
    private long allocations;
    private long frees;
    private long bytes;

    StreamFigures figures(long stream) {
      return new StreamFigures(stream, allocations, frees, bytes);
    }
  }
}
