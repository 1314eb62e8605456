package dev.quarry.trace;

import java.util.Arrays;
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
  CSV("Quarry CSV", CsvTraceReader::recognises, (lines, _) -> new CsvTraceReader(lines)),
  /// Quarry's own JSON lines, version 1: the only own form with stacks.
  JSON_LINES(
      "Quarry JSON lines", JsonTraceReader::recognises, (lines, _) -> new JsonTraceReader(lines)),
  /// A Flight Recorder recording with the reservations of a running program.
  FLIGHT_RECORDER(
      "Flight Recorder recording",
      FlightReader::recognises,
      (_, _) -> {
        throw new IllegalStateException("a recording has no lines");
      }),
  /// Lines of `a slot size` and `f slot`, as the benchmarks use.
  BENCH("bench text", BenchReader::recognises, (lines, _) -> new BenchReader(lines)),
  /// MiniMalloc's buffers with their lifetimes, and idealloc's dialects of it.
  MINIMALLOC("MiniMalloc CSV", MiniMallocReader::recognises, MiniMallocReader::new),
  /// The CSV log of RMM's logging resource adaptor.
  RMM("RMM CSV", RmmReader::recognises, (lines, _) -> new RmmReader(lines)),
  /// The CSV log of RMM 0.13 and earlier.
  RMM_2020("RMM CSV of 2020", Rmm2020Reader::recognises, (lines, _) -> new Rmm2020Reader(lines)),
  /// RMM's rows without a header, or the failures of its debug log, between other lines.
  RMM_LOG(
      "RMM rows in a program's log",
      RmmLogReader::recognises,
      (lines, _) -> new RmmLogReader(lines));

  private final String description;
  private final Predicate<Head> recognises;
  private final BiFunction<LineReader, LifetimeEnds, TraceReader> reader;

  TraceFormat(
      String description,
      Predicate<Head> recognises,
      BiFunction<LineReader, LifetimeEnds, TraceReader> reader) {
    this.description = description;
    this.recognises = recognises;
    this.reader = reader;
  }

  /// What the format is called in messages and reports.
  public String description() {
    return description;
  }

  TraceReader read(LineReader lines, LifetimeEnds ends) {
    return reader.apply(lines, ends);
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
