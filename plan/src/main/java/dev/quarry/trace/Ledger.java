package dev.quarry.trace;

import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceEvent.Segment;

/// Holds events to the strict rules: an id is free when it is allocated, live when it is freed, and
/// asked for once. Gives back the same events with lifetimes numbered in order of allocation.
final class Ledger {
  private final String source;
  private final LiveIds ids = new LiveIds();

  Ledger(String source) {
    this.source = source;
  }

  TraceEvent enter(long line, TraceEvent event) {
    return switch (event) {
      case Allocate a -> enter(line, a);
      case Free f -> enter(line, f);
      case Mark m -> m;
      case Failure f -> f;
      case Segment s -> s;
    };
  }

  private Allocate enter(long line, Allocate a) {
    long id = ids.begin(a.id(), a.size());
    if (id == LiveIds.NONE) {
      throw refuse(
          line, "an allocation under id " + a.id() + ", which is live", "an id that is not live");
    }
    return id == a.id()
        ? a
        : new Allocate(
            id, a.size(), a.stream(), a.time(), a.alignment(), a.address(), a.tag(), a.stack());
  }

  private Free enter(long line, Free f) {
    long size = size(line, f.id());
    if (size != f.size()) {
      throw refuse(
          line,
          "a free of " + f.size() + " bytes under id " + f.id(),
          "the " + size + " bytes of its allocation");
    }
    return free(line, f);
  }

  /// The size of the live allocation under an id.
  long size(long line, long id) {
    if (!ids.isLive(id)) {
      throw refuse(
          line,
          "a free of id " + id + ", which is not live",
          "the id of an allocation that is not freed yet");
    }
    return ids.size(id);
  }

  private Free free(long line, Free f) {
    long id = ids.id(f.id());
    if (f.kind() == Free.Kind.COMPLETED) {
      ids.end(f.id());
    } else if (!ids.ask(f.id())) {
      throw refuse(
          line,
          "a second free asked for id " + f.id(),
          "one for each allocation before its free completes");
    }
    return id == f.id() ? f : new Free(id, f.size(), f.kind(), f.stream(), f.time());
  }

  private TraceException refuse(long line, String found, String expected) {
    return new TraceException(source, line, found, expected);
  }
}
