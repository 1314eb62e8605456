package dev.quarry.trace;

/// One row of an RMM log, `Thread,Time,Action,Pointer,Size,Stream`, taken apart in place. The
/// fields hold what the last successful [#parse] found.
final class RmmRow {
  enum Action {
    ALLOCATE,
    FREE,
    FAILURE,
    RESIZE
  }

  /// What [#parse] returns for a good row.
  static final int GOOD = -1;

  /// What [#parse] returns for a row with too few or too many fields.
  static final int FIELD_COUNT = 6;

  static final String HEADER = "Thread,Time,Action,Pointer,Size,Stream";

  private static final String[] NAMES = HEADER.split(",");
  private static final String[] EXPECTED = {
    "a thread number",
    "a time as HH:MM:SS.ffffff or HH:MM:SS:ffffff",
    "allocate, allocate failure or free",
    "a hexadecimal address or (nil)",
    EventFields.SIZES,
    "a hexadecimal stream handle"
  };

  private final int[] ends = new int[FIELD_COUNT];
  Action action = Action.ALLOCATE;
  long pointer;
  long size;

  /// Whether the size was larger than an event can carry, so that [#size] is less than what was
  /// written.
  boolean sizeCut;

  /// Whether a free says how much it frees.
  boolean sizeStated = true;

  long stream;

  /// Nanoseconds since midnight.
  long timeOfDay;

  /// Parses a row; returns [#GOOD], the number of the first field that is wrong, or [#FIELD_COUNT].
  int parse(byte[] line, int from, int to) {
    int fields = 0;
    for (int i = from; i < to; i++) {
      if (line[i] == ',') {
        if (fields == FIELD_COUNT - 1) {
          return FIELD_COUNT;
        }
        ends[fields++] = i;
      }
    }
    if (fields != FIELD_COUNT - 1) {
      return FIELD_COUNT;
    }
    ends[fields] = to;
    if (Digits.decimal(line, from, ends[0]) == Digits.MALFORMED) {
      return 0;
    }
    if (!parseTime(line, ends[0] + 1, ends[1])) {
      return 1;
    }
    if (!parseAction(line, ends[1] + 1, ends[2])) {
      return 2;
    }
    if (!parsePointer(line, ends[2] + 1, ends[3])) {
      return 3;
    }
    if (!parseSize(Digits.decimal(line, ends[3] + 1, ends[4]))) {
      return 4;
    }
    if (!Digits.isHex(line, ends[4] + 1, to)) {
      return 5;
    }
    stream = Digits.hex(line, ends[4] + 1, to);
    return GOOD;
  }

  /// The exception for a row that [#parse] found wrong at `field`.
  static TraceException refuse(LineReader lines, String row, int field) {
    String[] fields = row.split(",", -1);
    if (field == FIELD_COUNT) {
      return lines.refuse(fields.length + " fields", "the " + FIELD_COUNT + " fields " + HEADER);
    }
    return lines.refuse(NAMES[field] + " " + TraceException.quote(fields[field]), EXPECTED[field]);
  }

  /// `HH:MM:SS`, then a colon or a period, then up to nine decimals.
  boolean parseTime(byte[] line, int from, int to) {
    if (to - from < 10 || to - from > 18 || line[from + 2] != ':' || line[from + 5] != ':') {
      return false;
    }
    byte separator = line[from + 8];
    long hours = Digits.decimal(line, from, from + 2);
    long minutes = Digits.decimal(line, from + 3, from + 5);
    long seconds = Digits.decimal(line, from + 6, from + 8);
    long fraction = Digits.decimal(line, from + 9, to);
    if ((separator != ':' && separator != '.')
        || hours < 0
        || hours > 23
        || minutes < 0
        || minutes > 59
        || seconds < 0
        || seconds > 60
        || fraction < 0) {
      return false;
    }
    for (int digits = to - from - 9; digits < 9; digits++) {
      fraction *= 10;
    }
    timeOfDay = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000L + fraction;
    return true;
  }

  private boolean parseAction(byte[] line, int from, int to) {
    if (is(line, from, to, "allocate")) {
      action = Action.ALLOCATE;
    } else if (is(line, from, to, "free")) {
      action = Action.FREE;
    } else if (is(line, from, to, "allocate failure")) {
      action = Action.FAILURE;
    } else {
      return false;
    }
    return true;
  }

  boolean parsePointer(byte[] line, int from, int to) {
    if (is(line, from, to, "(nil)")) {
      pointer = 0;
      return true;
    }
    if (!Digits.isHex(line, from, to)) {
      return false;
    }
    pointer = Digits.hex(line, from, to);
    return true;
  }

  /// Failed requests can be for any number: a computation that went below zero is a usual cause.
  boolean parseSize(long value) {
    sizeCut = value == Digits.TOO_LARGE || value > TraceEvent.MAX_SIZE;
    size = sizeCut ? TraceEvent.MAX_SIZE : value;
    return value != Digits.MALFORMED && (!sizeCut || action == Action.FAILURE);
  }

  private static boolean is(byte[] line, int from, int to, String text) {
    if (to - from != text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (line[from + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
