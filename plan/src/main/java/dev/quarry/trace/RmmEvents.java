package dev.quarry.trace;

import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the rows of an RMM log mean. Such logs start late, lose rows and repeat addresses; all that
/// is normal and counted.
final class RmmEvents {
  private static final long DAY = 24L * 60 * 60 * 1_000_000_000L;

  private final LiveIds ids = new LiveIds();
  private final TraceNotes.Tally notes = new TraceNotes.Tally();
  private @Nullable TraceEvent pending;
  private long latest;
  private long days;

  RmmEvents() {
    notes.fact("Sizes are the bytes asked for at the layer that was logged.");
    notes.fact("Allocations are logged after they succeed, frees before they are carried out.");
  }

  TraceNotes.Tally notes() {
    return notes;
  }

  /// The second event of a row that made two.
  @Nullable TraceEvent pending() {
    TraceEvent event = pending;
    pending = null;
    return event;
  }

  /// Turns a time of day into a time from the first midnight. Threads log a little out of order, so
  /// only a jump of more than half a day is taken for midnight.
  long time(long timeOfDay) {
    long time = days * DAY + timeOfDay;
    if (time < latest - DAY / 2) {
      days++;
      time += DAY;
    } else if (time > latest + DAY / 2 && days > 0) {
      return time - DAY;
    }
    latest = time;
    return time;
  }

  /// The event a row stands for, or null if it is left out.
  @Nullable TraceEvent accept(RmmRow row, long time, long line) {
    return switch (row.action) {
      case FAILURE -> failure(row, time, line, null);
      case ALLOCATE -> row.pointer == 0 ? leaveOut(line) : allocate(row, time, line);
      case FREE -> row.pointer == 0 ? leaveOut(line) : free(row, time, line);
      case RESIZE -> row.pointer == 0 ? leaveOut(line) : resize(row, time, line);
    };
  }

  Failure failure(RmmRow row, long time, long line, @Nullable String reason) {
    notes.count(Irregularity.ALLOCATION_FAILED, line);
    if (row.sizeCut) {
      notes.count(Irregularity.ABSURD_FAILURE, line);
    }
    return new Failure(row.size, row.stream, time, reason);
  }

  private @Nullable TraceEvent leaveOut(long line) {
    notes.count(Irregularity.NULL_ADDRESS, line);
    return null;
  }

  private TraceEvent allocate(RmmRow row, long time, long line) {
    if (row.size == 0) {
      notes.count(Irregularity.ZERO_SIZE, line);
    }
    if (!ids.isLive(row.pointer)) {
      return begin(row, time);
    }
    notes.count(Irregularity.ALLOCATED_WHILE_LIVE, line);
    return replace(row, time);
  }

  private @Nullable TraceEvent free(RmmRow row, long time, long line) {
    if (!ids.isLive(row.pointer)) {
      notes.count(Irregularity.UNKNOWN_FREED, line);
      return null;
    }
    if (row.sizeStated && ids.size(row.pointer) != row.size) {
      notes.count(Irregularity.FREED_SIZE_DIFFERS, line);
    }
    return end(row, time);
  }

  private TraceEvent resize(RmmRow row, long time, long line) {
    notes.count(Irregularity.REALLOCATED, line);
    return ids.isLive(row.pointer) ? replace(row, time) : begin(row, time);
  }

  private TraceEvent replace(RmmRow row, long time) {
    TraceEvent end = end(row, time);
    pending = begin(row, time);
    return end;
  }

  private Allocate begin(RmmRow row, long time) {
    long id = ids.begin(row.pointer, row.size);
    long address = Math.max(row.pointer, TraceEvent.NO_ADDRESS);
    return new Allocate(id, row.size, row.stream, time, 1, address, null, List.of());
  }

  private Free end(RmmRow row, long time) {
    long size = ids.size(row.pointer);
    return new Free(ids.end(row.pointer), size, Free.Kind.COMPLETED, row.stream, time);
  }
}
