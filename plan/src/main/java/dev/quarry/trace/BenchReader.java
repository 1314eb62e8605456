package dev.quarry.trace;

import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Bench text: `a slot size` takes memory into an empty slot, `f slot` empties it, `#` begins a
/// remark. The remark in the first line counts the operations, which shows a file that was cut
/// between two lines.
final class BenchReader implements TraceReader {
  private static final Pattern OPERATION = Pattern.compile("a \\d+ \\d+|f \\d+");
  private static final Pattern COUNT = Pattern.compile("# .*\\bops=(\\d{1,18})\\b.*");
  private static final String ROWS = "a <slot> <size> or f <slot>";
  private static final String SIZES = "a whole number of bytes from 1 to " + TraceEvent.MAX_SIZE;

  private final LineReader lines;
  private final LiveIds ids = new LiveIds();
  private long announced = -1;
  private long operations;

  BenchReader(LineReader lines) {
    this.lines = lines;
  }

  static boolean recognises(Head head) {
    return COUNT.matcher(head.firstLine()).matches()
        || head.lines()
            .filter(line -> !line.startsWith("#"))
            .findFirst()
            .filter(line -> OPERATION.matcher(line).matches())
            .isPresent();
  }

  @Override
  public @Nullable TraceEvent next() {
    while (lines.next()) {
      if (lines.length() > 0 && lines.bytes()[lines.from()] == '#') {
        remark();
        continue;
      }
      if (!lines.ended()) {
        throw lines.refuse("a last line that is cut off", "a line end after every row");
      }
      operations++;
      return operation(lines.bytes(), lines.from(), lines.to());
    }
    if (announced >= 0 && announced != operations) {
      throw lines.refuse(
          "the end after " + operations + " operations", announced + " as the first line says");
    }
    return null;
  }

  private void remark() {
    if (lines.number() == 1) {
      Matcher count = COUNT.matcher(lines.text());
      if (count.matches()) {
        announced = Long.parseLong(count.group(1));
      }
    }
  }

  private TraceEvent operation(byte[] line, int from, int to) {
    if (to - from < 3 || line[from + 1] != ' ') {
      throw malformed();
    }
    return switch (line[from]) {
      case 'a' -> allocate(line, from + 2, to);
      case 'f' -> free(slot(line, from + 2, to));
      default -> throw malformed();
    };
  }

  private Allocate allocate(byte[] line, int from, int to) {
    int space = from;
    while (space < to && line[space] != ' ') {
      space++;
    }
    if (space == to) {
      throw malformed();
    }
    long slot = slot(line, from, space);
    long size = Digits.decimal(line, space + 1, to);
    if (size < 1 || size > TraceEvent.MAX_SIZE) {
      String text = lines.text();
      throw lines.refuse(
          "size " + TraceException.quote(text.substring(text.indexOf(' ', 2) + 1)), SIZES);
    }
    long id = ids.begin(slot, size);
    if (id == LiveIds.NONE) {
      throw lines.refuse("an allocation into slot " + slot + ", which is full", "an empty slot");
    }
    return new Allocate(id, size);
  }

  private Free free(long slot) {
    if (!ids.isLive(slot)) {
      throw lines.refuse("a free of slot " + slot + ", which is empty", "a full slot");
    }
    long size = ids.size(slot);
    return new Free(ids.end(slot), size);
  }

  private long slot(byte[] line, int from, int to) {
    long slot = Digits.decimal(line, from, to);
    if (slot < 0) {
      throw malformed();
    }
    return slot;
  }

  private TraceException malformed() {
    return lines.refuse(TraceException.quote(lines.text()), ROWS);
  }

  @Override
  public TraceNotes notes() {
    return TraceNotes.NONE;
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
