package dev.quarry.trace;

import org.jspecify.annotations.Nullable;

/// The CSV log of RMM's logging resource adaptor, with its header. Strict about the rows, as RMM's
/// own parser is; lenient about what they say.
final class RmmReader implements TraceReader {
  private final LineReader lines;
  private final RmmEvents events = new RmmEvents();
  private final RmmRow row = new RmmRow();

  RmmReader(LineReader lines) {
    this.lines = lines;
    if (!lines.next() || !lines.text().equals(RmmRow.HEADER)) {
      throw lines.refuse(TraceException.quote(lines.text()), RmmRow.HEADER);
    }
    events.notes().fact(RmmLogReader.TIMES);
  }

  static boolean recognises(Head head) {
    return head.text().startsWith("Thread,Time,");
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
    int wrong = row.parse(lines.bytes(), lines.from(), lines.to());
    if (wrong != RmmRow.GOOD && !lines.ended()) {
      events.notes().count(Irregularity.CUT_AT_END, lines.number());
      return null;
    }
    if (wrong != RmmRow.GOOD) {
      throw RmmRow.refuse(lines, lines.text(), wrong);
    }
    return events.accept(row, events.time(row.timeOfDay), lines.number());
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
