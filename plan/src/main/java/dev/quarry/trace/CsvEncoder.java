package dev.quarry.trace;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceEvent.Segment;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Quarry's CSV. Values that are the default are left empty.
final class CsvEncoder implements EventEncoder {
  private final CsvWriter csv;

  CsvEncoder(OutputStream out) {
    csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out, StandardCharsets.UTF_8);
  }

  @Override
  public void header() {
    row(
        CsvTraceReader.VERSION,
        EventFields.ID,
        EventFields.SIZE,
        EventFields.STREAM,
        EventFields.TIME,
        EventFields.TAG,
        EventFields.ALIGNMENT,
        EventFields.ADDRESS);
  }

  @Override
  public @Nullable String obstacle(TraceEvent event) {
    return switch (event) {
      case Allocate a when !a.stack().isEmpty() -> "an allocation with a stack";
      case Allocate a -> obstacle(a.tag());
      case Free _ -> null;
      case Mark m -> obstacle(m.text());
      case Failure f -> obstacle(f.reason());
      case Segment _ -> null;
    };
  }

  private static @Nullable String obstacle(@Nullable String text) {
    return text != null && CsvTraceReader.hasBareReturn(text)
        ? "a text with a carriage return that no line feed follows"
        : null;
  }

  @Override
  public void encode(TraceEvent event) {
    switch (event) {
      case Allocate a ->
          row(
              EventFields.ALLOCATE,
              Long.toString(a.id()),
              Long.toString(a.size()),
              unless(0, a.stream()),
              time(a),
              a.tag(),
              unless(1, a.alignment()),
              address(a.address()));
      case Free f ->
          row(
              f.kind() == Free.Kind.ASKED ? EventFields.FREE_ASKED : EventFields.FREE,
              Long.toString(f.id()),
              Long.toString(f.size()),
              unless(0, f.stream()),
              time(f),
              "",
              "",
              "");
      case Mark m -> row(EventFields.MARK, "", "", "", time(m), m.text(), "", "");
      case Failure f ->
          row(
              EventFields.FAILURE,
              "",
              Long.toString(f.size()),
              unless(0, f.stream()),
              time(f),
              f.reason(),
              "",
              "");
      case Segment s ->
          row(
              s.change() == Segment.Change.TAKEN
                  ? EventFields.SEGMENT_TAKEN
                  : EventFields.SEGMENT_GIVEN_BACK,
              "",
              Long.toString(s.size()),
              unless(0, s.stream()),
              time(s),
              "",
              "",
              address(s.address()));
    }
  }

  private static String address(long address) {
    return unless(TraceEvent.NO_ADDRESS, address);
  }

  private static String time(TraceEvent event) {
    return unless(TraceEvent.NO_TIME, event.time());
  }

  private static String unless(long usual, long value) {
    return value == usual ? "" : Long.toString(value);
  }

  private void row(@Nullable String... fields) {
    csv.writeRecord(fields);
    try {
      csv.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
