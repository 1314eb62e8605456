package dev.quarry.trace;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Quarry's own CSV. Quoting is the library's business; lines, bytes and numbers are checked by
/// ours.
final class CsvTraceReader implements TraceReader {
  /// The first header field: names the format and its version, and is the column of the event's
  /// kind.
  static final String VERSION = "quarry-trace/1";

  private static final String ANY_VERSION = "quarry-trace";
  private static final List<String> COLUMNS =
      List.of(
          EventFields.ID,
          EventFields.SIZE,
          EventFields.STREAM,
          EventFields.TIME,
          EventFields.TAG,
          EventFields.ALIGNMENT,
          EventFields.ADDRESS);
  private static final int LONGEST_RECORD = 4 * LineReader.MAX_LINE; // characters, all lines of it

  private final LineReader lines;
  private final Ledger ledger;
  private final CsvReader<CsvRecord> csv;
  private final CloseableIterator<CsvRecord> records;
  private final List<String> columns;

  CsvTraceReader(LineReader lines) {
    this.lines = lines;
    ledger = new Ledger(lines.source());
    csv =
        CsvReader.builder()
            .skipEmptyLines(false)
            .extraFieldStrategy(
                FieldMismatchStrategy.IGNORE) // counted below, with a better message
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(false)
            .maxBufferSize(LONGEST_RECORD)
            .ofCsvRecord(new Characters(lines));
    records = csv.iterator();
    CsvRecord header = record();
    columns = header == null ? List.of() : columns(header);
  }

  static boolean recognises(Head head) {
    return head.text().startsWith(ANY_VERSION) || head.text().startsWith("\"" + ANY_VERSION);
  }

  private List<String> columns(CsvRecord header) {
    if (!header.getField(0).equals(VERSION)) {
      throw lines.refuse(
          TraceException.quote(header.getField(0)), VERSION + " as the first header field");
    }
    List<String> names = new ArrayList<>(header.getFields());
    names.set(0, EventFields.EVENT);
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw lines.refuse("two columns " + TraceException.quote(name), "every column once");
      }
      if (!name.equals(EventFields.EVENT)
          && !COLUMNS.contains(name)
          && !name.startsWith(EventFields.FOREIGN)) {
        throw lines.refuse(
            "column " + TraceException.quote(name),
            String.join(", ", COLUMNS) + " or a name that begins with " + EventFields.FOREIGN);
      }
    }
    if (!seen.containsAll(List.of(EventFields.ID, EventFields.SIZE))) {
      throw lines.refuse(
          TraceException.quote(String.join(",", header.getFields())),
          "at least the columns " + String.join(",", VERSION, EventFields.ID, EventFields.SIZE));
    }
    return names;
  }

  @Override
  public @Nullable TraceEvent next() {
    CsvRecord row = record();
    if (row == null) {
      return null;
    }
    if (row.getFieldCount() != columns.size()) {
      throw new TraceException(
          lines.source(),
          row.getStartingLineNumber(),
          row.getFieldCount() + " fields",
          "the " + columns.size() + " of the header");
    }
    EventFields fields = new EventFields(lines.source(), row.getStartingLineNumber());
    for (int i = 0; i < columns.size(); i++) {
      set(fields, columns.get(i), row.getField(i));
    }
    return fields.toEvent(ledger);
  }

  private static void set(EventFields fields, String column, String value) {
    switch (column) {
      case EventFields.EVENT -> fields.event = value;
      case EventFields.ID -> fields.id = value;
      case EventFields.SIZE -> fields.size = value;
      case EventFields.STREAM -> fields.stream = value;
      case EventFields.TIME -> fields.time = value;
      case EventFields.TAG -> fields.tag = value;
      case EventFields.ALIGNMENT -> fields.alignment = value;
      case EventFields.ADDRESS -> fields.address = value;
      default -> {} // a column of someone else
    }
  }

  private @Nullable CsvRecord record() {
    try {
      return records.hasNext() ? records.next() : null;
    } catch (CsvParseException e) {
      if (e.getCause() instanceof TraceException inner) {
        throw inner;
      }
      throw lines.refuse("broken CSV (" + e.getMessage() + ")", "fields as in RFC 4180");
    }
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

  /// Whether a carriage return stands anywhere but before a line feed.
  static boolean hasBareReturn(String text) {
    for (int at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
      if (at + 1 == text.length() || text.charAt(at + 1) != '\n') {
        return true;
      }
    }
    return false;
  }

  /// The checked lines as characters, for the library.
  private static final class Characters extends Reader {
    private final LineReader lines;
    private String line = "";
    private int position;

    Characters(LineReader lines) {
      this.lines = lines;
    }

    @Override
    public int read(char[] target, int from, int length) {
      if (position == line.length() && !nextLine()) {
        return -1;
      }
      int n = Math.min(length, line.length() - position);
      line.getChars(position, position + n, target, from);
      position += n;
      return n;
    }

    private boolean nextLine() {
      if (!lines.next()) {
        return false;
      }
      if (!lines.ended()) {
        throw lines.refuse("a last line that is cut off", "a line end after every row");
      }
      line = lines.rawText();
      if (hasBareReturn(line)) {
        // The library takes one for a line end, and its line numbers would no longer be those of
        // the file.
        throw lines.refuse("a carriage return inside a line", "line ends as LF or CR LF");
      }
      position = 0;
      return true;
    }

    @Override
    public void close() {
      lines.close();
    }
  }
}
