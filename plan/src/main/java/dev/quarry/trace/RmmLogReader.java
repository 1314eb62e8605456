package dev.quarry.trace;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// RMM's rows where they stand between other lines: printed without a header to a program's output, or the refusals
/// in RMM's debug log, such as
///
///     [ 24740][16:33:00:198861][error ] [A][Stream 0x1][Upstream 35006976B][FAILURE max pool size exceeded]
///
/// A line that is neither is someone else's and is counted.
final class RmmLogReader implements TraceReader {
  static final String TIMES =
      "Times are local clock times, in nanoseconds from the midnight before the log began.";

  // The repetitions are bounded so that no line, however long, takes more than linear time.
  private static final Pattern ROW =
      Pattern.compile(
          "(?<!\\d)\\d{1,18}+,\\d\\d:\\d\\d:\\d\\d[:.]\\d{1,9}+,(?:allocate failure|allocate|free),"
              + "(?:\\(nil\\)|0x[0-9a-fA-F]{1,16}+),\\d{1,20}+,(?:0x)?[0-9a-fA-F]{1,16}+(?![\\w,])");
  private static final String REFUSAL_START = "[A][Stream ";
  private static final Pattern REFUSAL =
      Pattern.compile(
          "\\[A]\\[Stream (?<stream>[0-9a-fA-Fx]{1,18}+)]\\[Upstream (?<size>\\d{1,20}+)B]"
              + "\\[FAILURE (?<reason>.+)].*");
  private static final Pattern CLOCK =
      Pattern.compile("\\[(?<time>\\d\\d:\\d\\d:\\d\\d[:.]\\d{1,9}+)]");

  private final LineReader lines;
  private final RmmEvents events = new RmmEvents();
  private final RmmRow row = new RmmRow();

  RmmLogReader(LineReader lines) {
    this.lines = lines;
    events.notes().fact(TIMES);
  }

  static boolean recognises(Head head) {
    return head.lines().anyMatch(line -> row(line) != null || refusal(line) != null);
  }

  @Override
  public @Nullable TraceEvent next() {
    TraceEvent event = events.pending();
    while (event == null && lines.next()) {
      event = event();
    }
    return event;
  }

  private @Nullable TraceEvent event() {
    if (row.parse(lines.bytes(), lines.from(), lines.to()) == RmmRow.GOOD) {
      return accept();
    }
    String line = lines.text();
    String inside = row(line);
    if (inside != null) {
      byte[] bytes = inside.getBytes(StandardCharsets.US_ASCII);
      int wrong = row.parse(bytes, 0, bytes.length);
      if (wrong != RmmRow.GOOD) {
        throw RmmRow.refuse(lines, inside, wrong);
      }
      return accept();
    }
    Matcher refusal = refusal(line);
    if (refusal != null) {
      return failure(line, refusal);
    }
    events.notes().count(Irregularity.OTHER_LINE, lines.number());
    return null;
  }

  private @Nullable TraceEvent accept() {
    return events.accept(row, events.time(row.timeOfDay), lines.number());
  }

  private @Nullable TraceEvent failure(String line, Matcher refusal) {
    byte[] stream = refusal.group("stream").getBytes(StandardCharsets.US_ASCII);
    if (!Digits.isHex(stream, 0, stream.length)) {
      events.notes().count(Irregularity.OTHER_LINE, lines.number());
      return null;
    }
    byte[] size = refusal.group("size").getBytes(StandardCharsets.US_ASCII);
    row.action = RmmRow.Action.FAILURE;
    row.stream = Digits.hex(stream, 0, stream.length);
    row.parseSize(Digits.decimal(size, 0, size.length));
    return events.failure(row, clock(line), lines.number(), refusal.group("reason"));
  }

  private long clock(String line) {
    Matcher clock = CLOCK.matcher(line);
    if (!clock.find()) {
      return TraceEvent.NO_TIME;
    }
    byte[] time = clock.group("time").getBytes(StandardCharsets.US_ASCII);
    return row.parseTime(time, 0, time.length) ? events.time(row.timeOfDay) : TraceEvent.NO_TIME;
  }

  /// The row in a line, wherever it begins, or null.
  private static @Nullable String row(String line) {
    if (!line.contains(",allocate") && !line.contains(",free,")) {
      return null;
    }
    Matcher row = ROW.matcher(line);
    return row.find() ? row.group() : null;
  }

  private static @Nullable Matcher refusal(String line) {
    int start = line.indexOf(REFUSAL_START);
    if (start < 0) {
      return null;
    }
    Matcher refusal = REFUSAL.matcher(line).region(start, line.length());
    return refusal.matches() ? refusal : null;
  }

  @Override
  public TraceNotes notes() {
    return events.notes().notes();
  }

  @Override
  public long position() {
    return lines.position();
  }

  @Override
  public void close() {
    lines.close();
  }
}
