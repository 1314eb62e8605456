package dev.quarry.trace;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What a reader noticed about its source and a user should know.
///
/// @param tolerated irregularities that were passed over, in the order of [Irregularity]
/// @param facts sentences about the whole source, such as how its times are to be read
public record TraceNotes(List<Tolerated> tolerated, List<String> facts) {
  /// Nothing noticed.
  public static final TraceNotes NONE = new TraceNotes(List.of(), List.of());

  public TraceNotes {
    tolerated = List.copyOf(tolerated);
    facts = List.copyOf(facts);
  }

  /// How often one irregularity was met.
  ///
  /// @param kind which
  /// @param count how often, at least once
  /// @param firstLine the line of the first one, from 1
  public record Tolerated(Irregularity kind, long count, long firstLine) {
    @Override
    public String toString() {
      return count + " " + kind.description() + " (first in line " + firstLine + ")";
    }
  }

  /// How often an irregularity was met, 0 if never.
  public long count(Irregularity kind) {
    return tolerated.stream()
        .filter(note -> note.kind() == kind)
        .mapToLong(Tolerated::count)
        .findFirst()
        .orElse(0);
  }

  /// Counts while a reader reads.
  static final class Tally {
    private final Map<Irregularity, Tolerated> tolerated = new EnumMap<>(Irregularity.class);
    private final List<String> facts = new ArrayList<>();

    void count(Irregularity kind, long line) {
      tolerated.merge(
          kind,
          new Tolerated(kind, 1, line),
          (old, one) -> new Tolerated(kind, old.count() + 1, old.firstLine()));
    }

    void fact(String sentence) {
      facts.add(sentence);
    }

    TraceNotes notes() {
      return new TraceNotes(List.copyOf(tolerated.values()), facts);
    }
  }
}
