package dev.quarry.cli;

import dev.quarry.trace.LifetimeEnds;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceFormat;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// The trace a verb works on.
final class TraceInput {
  @Parameters(
      paramLabel = "TRACE",
      description = "A trace in any known format, gzipped or not; - is standard input.")
  Path trace;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      converter = FormatName.class,
      completionCandidates = FormatName.class,
      description = "Read TRACE as ${COMPLETION-CANDIDATES}, whatever it looks like.")
  @Nullable TraceFormat format;

  @Option(
      names = "--ends",
      paramLabel = "ENDS",
      converter = EndsName.class,
      completionCandidates = EndsName.class,
      description =
          "Which bounds belong to a lifetime in MiniMalloc CSV: ${COMPLETION-CANDIDATES}."
              + " By the header, 'upper' is exclusive and 'end' inclusive; half-open, open and"
              + " closed are idealloc's inclusive-exclusive, exclusive and inclusive.")
  @Nullable LifetimeEnds ends;

  @Option(
      names = "--device",
      paramLabel = "NUMBER",
      description =
          "Read the events of this device, where TRACE records several: by default, of the one with"
              + " the most.")
  @Nullable Integer device;

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  /// Opens the trace. Standard input is read to its end first.
  Trace open(Streams streams) {
    if (device != null && device < 0)
      throw misuse("--device is " + device + ": expected a number from 0");
    Trace opened = trace.toString().equals("-") ? Trace.of(streams.in(), "standard input") : file();
    if (format != null) opened = opened.withFormat(format);
    if (device != null) opened = opened.withDevice(device);
    if (ends == null) return opened;
    if (opened.format() != TraceFormat.MINIMALLOC) {
      String found = opened.format().description();
      opened.close();
      throw misuse("--ends is for MiniMalloc CSV, and " + trace + " is " + found);
    }
    return opened.withEnds(ends);
  }

  private Trace file() {
    if (trace.toString().isEmpty()) throw misuse("TRACE is empty: expected a file, or -");
    return Trace.of(trace);
  }

  private ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private static String kebab(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static <E extends Enum<E>> E named(E[] constants, String text) {
    return Arrays.stream(constants)
        .filter(constant -> kebab(constant).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'"
                        + text
                        + "' is unknown: expected one of "
                        + Stream.of(constants)
                            .map(TraceInput::kebab)
                            .collect(Collectors.joining(", "))));
  }

  /// The formats under the names that the command line gives them.
  static final class FormatName implements ITypeConverter<TraceFormat>, Iterable<String> {
    @Override
    public TraceFormat convert(String text) {
      return named(TraceFormat.values(), text);
    }

    @Override
    public Iterator<String> iterator() {
      return Stream.of(TraceFormat.values()).map(TraceInput::kebab).iterator();
    }
  }

  /// The bounds under the names that the command line gives them.
  static final class EndsName implements ITypeConverter<LifetimeEnds>, Iterable<String> {
    @Override
    public LifetimeEnds convert(String text) {
      return named(LifetimeEnds.values(), text);
    }

    @Override
    public Iterator<String> iterator() {
      return Stream.of(LifetimeEnds.values()).map(TraceInput::kebab).iterator();
    }
  }
}
