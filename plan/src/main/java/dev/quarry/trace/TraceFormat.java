package dev.quarry.trace;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The formats a trace can be read from, each known by its content.
///
/// The order is the order of recognition: formats that name themselves come first, rows that hide
/// between the lines of another program's log come last.
@SuppressWarnings("ImmutableEnumChecker") // the functions are method references without state
public enum TraceFormat {
  /// Quarry's own CSV, version 1.
  CSV("Quarry CSV", CsvTraceReader::recognises, lines((lines, _) -> new CsvTraceReader(lines))),
  /// Quarry's own JSON lines, version 1: the only own form with stacks.
  JSON_LINES(
      "Quarry JSON lines",
      JsonTraceReader::recognises,
      lines((lines, _) -> new JsonTraceReader(lines))),
  /// A Flight Recorder recording with the reservations of a running program.
  FLIGHT_RECORDER(
      "Flight Recorder recording",
      FlightReader::recognises,
      (name, source, _) -> FlightReader.open(name, source)),
  /// Lines of `a slot size` and `f slot`, as the benchmarks use.
  BENCH("bench text", BenchReader::recognises, lines((lines, _) -> new BenchReader(lines))),
  /// MiniMalloc's buffers with their lifetimes, and idealloc's dialects of it.
  MINIMALLOC("MiniMalloc CSV", MiniMallocReader::recognises, lines(MiniMallocReader::new)),
  /// The CSV log of RMM's logging resource adaptor.
  RMM("RMM CSV", RmmReader::recognises, lines((lines, _) -> new RmmReader(lines))),
  /// The CSV log of RMM 0.13 and earlier.
  RMM_2020(
      "RMM CSV of 2020", Rmm2020Reader::recognises, lines((lines, _) -> new Rmm2020Reader(lines))),
  /// RMM's rows without a header, or the failures of its debug log, between other lines.
  RMM_LOG(
      "RMM rows in a program's log",
      RmmLogReader::recognises,
      lines((lines, _) -> new RmmLogReader(lines)));

  private final String description;
  private final Predicate<Head> recognises;
  private final Opener opener;

  TraceFormat(String description, Predicate<Head> recognises, Opener opener) {
    this.description = description;
    this.recognises = recognises;
    this.opener = opener;
  }

  /// What the user says about a source that its content leaves open.
  ///
  /// @param ends which bounds belong to a lifetime
  /// @param device the device whose events are meant, where a source has several
  record Choices(LifetimeEnds ends, OptionalInt device) {
    static final Choices NONE = new Choices(LifetimeEnds.BY_HEADER, OptionalInt.empty());
  }

  /// Begins to read a source.
  private interface Opener {
    TraceReader open(String name, Source source, Choices choices);
  }

  /// A reader of lines.
  private static Opener lines(BiFunction<LineReader, LifetimeEnds, TraceReader> reader) {
    return (name, source, choices) -> {
      LineReader lines = new LineReader(name, Input.open(name, source));
      try {
        return reader.apply(lines, choices.ends());
      } catch (TraceException e) {
        lines.close();
        throw e;
      }
    };
  }

  /// What the format is called in messages and reports.
  public String description() {
    return description;
  }

  TraceReader open(String name, Source source, Choices choices) {
    return opener.open(name, source, choices);
  }

  static TraceFormat detect(String name, Source source) {
    Head head = Head.of(name, source);
    return Arrays.stream(values())
        .filter(format -> format.recognises.test(head))
        .findFirst()
        .orElseThrow(() -> new TraceException(name, 0, head.describe(), "a trace as " + all()));
  }

  private static String all() {
    return Arrays.stream(values()).map(TraceFormat::description).collect(Collectors.joining(", "));
  }
}
