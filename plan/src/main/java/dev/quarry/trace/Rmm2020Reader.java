package dev.quarry.trace;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The CSV log of RMM 0.13 and earlier, in which a free states no size and the last column, where
/// there is one, is a place in a source file that may contain commas.
final class Rmm2020Reader implements TraceReader {
  private static final String HEADER =
      "Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,"
          + "Start,End,Elapsed";
  private static final String LOCATION = ",Location";
  private static final int FIELDS = 11; // without the location

  private static final int TYPE = 0;
  private static final int DEVICE = 1;
  private static final int ADDRESS = 2;
  private static final int STREAM = 3;
  private static final int SIZE = 4;
  private static final int START = 8;

  private static final Pattern SECONDS =
      Pattern.compile("\\d{1,9}+(?:\\.\\d{1,20}+)?(?:e[+-]?\\d{1,2})?");
  private static final double LONGEST = 1e9; // seconds a process can run: 31 years

  private final LineReader lines;
  private final RmmEvents events = new RmmEvents();
  private final RmmRow row = new RmmRow();
  private final boolean located;
  private @Nullable String firstDevice;

  Rmm2020Reader(LineReader lines) {
    this.lines = lines;
    String header = lines.next() ? lines.text() : "";
    located = header.equals(HEADER + LOCATION);
    if (!located && !header.equals(HEADER)) {
      throw lines.refuse(TraceException.quote(header), HEADER + LOCATION);
    }
    events.notes().fact("Times are nanoseconds from the start of the log.");
  }

  static boolean recognises(Head head) {
    return head.text().startsWith("Event Type,Device ID,");
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
    try {
      return event(lines.text().split(",", located ? FIELDS + 1 : -1));
    } catch (TraceException e) {
      if (lines.ended()) {
        throw e;
      }
      events.notes().count(Irregularity.CUT_AT_END, lines.number());
      return null;
    }
  }

  private @Nullable TraceEvent event(String[] fields) {
    if (fields.length != FIELDS + (located ? 1 : 0)) {
      throw lines.refuse(fields.length + " fields", FIELDS + (located ? 1 : 0) + " fields");
    }
    row.action =
        switch (fields[TYPE]) {
          case "Alloc" -> RmmRow.Action.ALLOCATE;
          case "Free" -> RmmRow.Action.FREE;
          case "Realloc" -> RmmRow.Action.RESIZE;
          default -> throw refuse("event", fields[TYPE], "Alloc, Free or Realloc");
        };
    row.sizeStated = false;
    byte[] pointer = ascii(fields[ADDRESS]);
    if (!row.parsePointer(pointer, 0, pointer.length)) {
      throw refuse("address", fields[ADDRESS], "a hexadecimal address");
    }
    byte[] stream = ascii(fields[STREAM]);
    if (!Digits.isHex(stream, 0, stream.length)) {
      throw refuse("stream", fields[STREAM], "a hexadecimal stream handle");
    }
    row.stream = Digits.hex(stream, 0, stream.length);
    byte[] size = ascii(fields[SIZE]);
    if (!row.parseSize(Digits.decimal(size, 0, size.length))) {
      throw refuse("size", fields[SIZE], EventFields.SIZES);
    }
    long time =
        nanos(fields[START])
            .orElseThrow(() -> refuse("start", fields[START], "a number of seconds"));
    noteDevice(fields[DEVICE]);
    return events.accept(row, time, lines.number());
  }

  private void noteDevice(String device) {
    if (firstDevice == null) {
      firstDevice = device;
    } else if (!firstDevice.equals(device)) {
      events.notes().count(Irregularity.OTHER_DEVICE, lines.number());
    }
  }

  private static OptionalLong nanos(String text) {
    if (!SECONDS.matcher(text).matches()) {
      return OptionalLong.empty();
    }
    double seconds = Double.parseDouble(text);
    return seconds < LONGEST ? OptionalLong.of(Math.round(seconds * 1e9)) : OptionalLong.empty();
  }

  /// Non-ASCII becomes a question mark, which no number contains.
  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private TraceException refuse(String field, String found, String expected) {
    return lines.refuse(field + " " + TraceException.quote(found), expected);
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
