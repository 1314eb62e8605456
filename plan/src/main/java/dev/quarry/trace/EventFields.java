package dev.quarry.trace;

import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceEvent.Segment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One event of Quarry's own forms, field by field as text; null where the field is absent. Both
/// forms have the same fields and the same rules, so the rules are here, once.
final class EventFields {
  static final String EVENT = "event";
  static final String ID = "id";
  static final String SIZE = "size";
  static final String STREAM = "stream";
  static final String TIME = "time";
  static final String TAG = "tag";
  static final String ALIGNMENT = "alignment";
  static final String ADDRESS = "address";
  static final String STACK = "stack";

  static final String ALLOCATE = "allocate";
  static final String FREE_ASKED = "free-asked";
  static final String FREE = "free";
  static final String MARK = "mark";
  static final String FAILURE = "failure";
  static final String SEGMENT_TAKEN = "segment";
  static final String SEGMENT_GIVEN_BACK = "segment-back";

  /// Fields with this prefix are for others and are passed over.
  static final String FOREIGN = "x-";

  static final String SIZES = "a whole number of bytes from 0 to " + TraceEvent.MAX_SIZE;

  private final String source;
  private final long line;
  @Nullable String event;
  @Nullable String id;
  @Nullable String size;
  @Nullable String stream;
  @Nullable String time;
  @Nullable String tag;
  @Nullable String alignment;
  @Nullable String address;
  List<String> stack = List.of();

  EventFields(String source, long line) {
    this.source = source;
    this.line = line;
  }

  TraceEvent toEvent(Ledger ledger) {
    String kind = required(EVENT, event);
    return switch (kind) {
      case ALLOCATE -> ledger.enter(line, allocate());
      case FREE -> ledger.enter(line, free(Free.Kind.COMPLETED, ledger));
      case FREE_ASKED -> ledger.enter(line, free(Free.Kind.ASKED, ledger));
      case MARK -> mark();
      case FAILURE -> failure();
      case SEGMENT_TAKEN -> segment(Segment.Change.TAKEN);
      case SEGMENT_GIVEN_BACK -> segment(Segment.Change.GIVEN_BACK);
      default ->
          throw refuse(
              EVENT + " " + TraceException.quote(kind),
              String.join(", ", ALLOCATE, FREE_ASKED, FREE, MARK, FAILURE, SEGMENT_TAKEN)
                  + " or "
                  + SEGMENT_GIVEN_BACK);
    };
  }

  private Allocate allocate() {
    stack.forEach(frame -> checkText(STACK, frame));
    return new Allocate(
        id(), size(required(SIZE, size)), stream(), time(), alignment(), address(), tag(), stack);
  }

  private Free free(Free.Kind kind, Ledger ledger) {
    none(TAG, tag);
    none(ALIGNMENT, alignment);
    none(ADDRESS, address);
    noStack();
    long key = id();
    long known = ledger.size(line, key);
    String stated = filled(size);
    return new Free(key, stated == null ? known : size(stated), kind, stream(), time());
  }

  private Mark mark() {
    none(ID, id);
    none(SIZE, size);
    none(STREAM, stream);
    none(ALIGNMENT, alignment);
    none(ADDRESS, address);
    noStack();
    return new Mark(Objects.requireNonNullElse(tag(), ""), time());
  }

  private Failure failure() {
    none(ID, id);
    none(ALIGNMENT, alignment);
    none(ADDRESS, address);
    noStack();
    return new Failure(size(required(SIZE, size)), stream(), time(), tag());
  }

  private Segment segment(Segment.Change change) {
    none(ID, id);
    none(TAG, tag);
    none(ALIGNMENT, alignment);
    noStack();
    return new Segment(change, address(), size(required(SIZE, size)), stream(), time());
  }

  private long address() {
    String text = filled(address);
    return text == null
        ? TraceEvent.NO_ADDRESS
        : number(ADDRESS, text, 0, Long.MAX_VALUE, "a whole number of bytes from 0");
  }

  private long id() {
    return number(ID, required(ID, id), 0, Long.MAX_VALUE, "a whole number from 0");
  }

  private long size(String text) {
    return number(SIZE, text, 0, TraceEvent.MAX_SIZE, SIZES);
  }

  private long stream() {
    String text = filled(stream);
    return text == null
        ? 0
        : number(STREAM, text, Long.MIN_VALUE, Long.MAX_VALUE, "a whole number of 64 bits");
  }

  private long time() {
    String text = filled(time);
    return text == null
        ? TraceEvent.NO_TIME
        : number(
            TIME, text, -Long.MAX_VALUE, Long.MAX_VALUE, "a whole number of nanoseconds or steps");
  }

  private long alignment() {
    String text = filled(alignment);
    return text == null
        ? 1
        : number(
            ALIGNMENT,
            text,
            1,
            TraceEvent.MAX_SIZE,
            "a whole number of bytes from 1 to " + TraceEvent.MAX_SIZE);
  }

  private @Nullable String tag() {
    String text = filled(tag);
    if (text != null) {
      checkText(TAG, text);
    }
    return text;
  }

  private void checkText(String field, String text) {
    if (!Text.isSound(text)) {
      throw refuse(
          field + " " + TraceException.quote(text), "text without NUL or half a surrogate pair");
    }
  }

  private long number(String field, String text, long least, long most, String expected) {
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most && isPlain(text)) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Told below, like a number out of range.
    }
    throw refuse(field + " " + TraceException.quote(text), expected);
  }

  /// Long.parseLong also takes a plus sign and the digits of every script.
  private static boolean isPlain(String text) {
    return text.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-');
  }

  private String required(String field, @Nullable String text) {
    String value = filled(text);
    if (value == null) {
      throw refuse("no " + field, "one in every row of this kind");
    }
    return value;
  }

  private void none(String field, @Nullable String text) {
    if (filled(text) != null) {
      throw refuse(
          field + " " + TraceException.quote(String.valueOf(text)),
          "no " + field + " in this event");
    }
  }

  private void noStack() {
    if (!stack.isEmpty()) {
      throw refuse("a stack", "stacks in allocations only");
    }
  }

  private static @Nullable String filled(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }

  private TraceException refuse(String found, String expected) {
    return new TraceException(source, line, found, expected);
  }
}
