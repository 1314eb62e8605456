package dev.quarry.trace;

import dev.quarry.trace.MiniMallocBuffer.Gap;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Buffers with the times at which they live, in MiniMalloc's CSV and in idealloc's three readings
/// of it.
///
/// The columns are known by name, in any order; those not known are passed over. Rows come in no
/// order, so all are read before the first event; the events then follow the time, at one time
/// first what ends and then what begins, both in the order of the file. Fields are never quoted
/// here: MiniMalloc splits at every comma.
final class MiniMallocReader implements TraceReader {
  private static final String ID = "id";
  private static final String LOWER = "lower";
  private static final String UPPER = "upper";
  private static final String END = "end";
  private static final String SIZE = "size";
  private static final String ALIGNMENT = "alignment";
  private static final String HINT = "hint";
  private static final String GAPS = "gaps";
  private static final String OFFSET = "offset";
  private static final List<String> REQUIRED = List.of(ID, LOWER, UPPER, SIZE);
  private static final Map<String, String> ALIASES =
      Map.of("buffer", ID, "buffer_id", ID, "begin", LOWER, "start", LOWER, END, UPPER);

  private static final Pattern GAP =
      Pattern.compile("(-?\\d{1,19})-(-?\\d{1,19})(?:@(\\d{1,19}):(\\d{1,19}))?");

  private final LineReader lines;
  private final TraceNotes.Tally notes = new TraceNotes.Tally();
  private final Map<String, Integer> columns;
  private final int width;
  private final long lowerShift;
  private final long upperShift;
  private @Nullable Schedule schedule;

  MiniMallocReader(LineReader lines, LifetimeEnds ends) {
    this.lines = lines;
    String[] header = lines.next() ? fields(lines.text()) : new String[0];
    columns = columns(header);
    width = header.length;
    boolean inclusive = Arrays.asList(header).contains(END);
    lowerShift = ends == LifetimeEnds.OPEN ? 1 : 0;
    upperShift =
        switch (ends) {
          case BY_HEADER -> inclusive ? 1 : 0;
          case CLOSED -> 1;
          case HALF_OPEN, OPEN -> 0;
        };
    notes.fact("Times are steps of the program that was planned, not nanoseconds.");
  }

  static boolean recognises(Head head) {
    Set<String> names = new HashSet<>();
    for (String field : fields(head.firstLine())) {
      names.add(ALIASES.getOrDefault(field, field));
    }
    return REQUIRED.stream().filter(names::contains).count() >= REQUIRED.size() - 1;
  }

  private Map<String, Integer> columns(String[] header) {
    Map<String, Integer> found = new HashMap<>();
    for (int i = 0; i < header.length; i++) {
      String name = ALIASES.getOrDefault(header[i], header[i]);
      if (found.put(name, i) != null) {
        throw lines.refuse(
            "two columns for " + TraceException.quote(name), "every column once, aliases included");
      }
    }
    for (String name : REQUIRED) {
      if (!found.containsKey(name)) {
        throw lines.refuse(
            "no column " + name,
            "the columns " + String.join(", ", REQUIRED) + " or their aliases");
      }
    }
    return found;
  }

  private static String[] fields(String line) {
    return line.split(",", -1);
  }

  /// The next buffer in the order of the file, or null at its end.
  @Nullable MiniMallocBuffer buffer() {
    if (!lines.next() || lines.length() == 0) {
      while (lines.next()) {
        notes.count(Irregularity.AFTER_EMPTY_LINE, lines.number());
      }
      return null;
    }
    String[] fields = fields(lines.text());
    if (fields.length != width) {
      throw lines.refuse(fields.length + " fields", "the " + width + " of the header");
    }
    long lower = time(fields, LOWER, lowerShift);
    long upper = time(fields, UPPER, upperShift);
    if (lower >= upper) {
      throw lines.refuse(
          "a lifetime from "
              + field(fields, LOWER)
              + " to "
              + field(fields, UPPER)
              + ", which holds no step",
          "an end after the beginning");
    }
    return new MiniMallocBuffer(
        field(fields, ID),
        lower,
        upper,
        size(fields),
        columns.containsKey(ALIGNMENT) ? number(fields, ALIGNMENT, 1, TraceEvent.MAX_SIZE) : 1,
        place(fields, HINT, -1),
        gaps(fields),
        place(fields, OFFSET, 0));
  }

  private String field(String[] fields, String column) {
    return fields[Objects.requireNonNull(columns.get(column))];
  }

  /// A number in a column; like MiniMalloc, this allows spaces around it.
  private long number(String[] fields, String column, long least, long most) {
    String text = field(fields, column);
    try {
      long value = Long.parseLong(text.strip());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Told below, like a number out of range.
    }
    throw lines.refuse(
        column + " " + TraceException.quote(text), "a whole number from " + least + " to " + most);
  }

  private long time(String[] fields, String column, long shift) {
    return number(fields, column, -Long.MAX_VALUE, Long.MAX_VALUE - shift) + shift;
  }

  private long size(String[] fields) {
    long size = number(fields, SIZE, 0, TraceEvent.MAX_SIZE);
    if (size == 0) {
      notes.count(Irregularity.ZERO_SIZE, lines.number());
    }
    return size;
  }

  /// A place in bytes; -1 is how a hint says that it is none.
  private OptionalLong place(String[] fields, String column, long least) {
    if (!columns.containsKey(column)) {
      return OptionalLong.empty();
    }
    long value = number(fields, column, least, Long.MAX_VALUE);
    return value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private List<Gap> gaps(String[] fields) {
    if (!columns.containsKey(GAPS)) {
      return List.of();
    }
    List<Gap> gaps = new ArrayList<>();
    for (String text : field(fields, GAPS).split(" ", -1)) {
      if (!text.isEmpty()) {
        gaps.add(gap(text));
      }
    }
    return gaps;
  }

  private Gap gap(String text) {
    Matcher gap = GAP.matcher(text);
    try {
      if (gap.matches()) {
        boolean window = gap.group(3) != null;
        Gap parsed =
            new Gap(
                Math.addExact(Long.parseLong(gap.group(1)), lowerShift),
                Math.addExact(Long.parseLong(gap.group(2)), upperShift),
                window ? Long.parseLong(gap.group(3)) : 0,
                window ? Long.parseLong(gap.group(4)) : 0);
        if (parsed.lower() < parsed.upper() && parsed.windowLower() <= parsed.windowUpper()) {
          return parsed;
        }
      }
    } catch (ArithmeticException | NumberFormatException _) {
      // Told below, like a gap of another form.
    }
    throw lines.refuse(
        "gap " + TraceException.quote(text), "lower-upper or lower-upper@first:last of its bytes");
  }

  @Override
  public @Nullable TraceEvent next() {
    if (schedule == null) {
      schedule = schedule();
    }
    return schedule.next();
  }

  private Schedule schedule() {
    Schedule.Builder builder = new Schedule.Builder();
    Set<String> names = new HashSet<>();
    for (MiniMallocBuffer buffer = buffer(); buffer != null; buffer = buffer()) {
      if (!names.add(buffer.id())) {
        notes.count(Irregularity.NAME_REPEATED, lines.number());
      }
      if (!buffer.gaps().isEmpty()) {
        notes.count(Irregularity.GAPS_KEPT_LIVE, lines.number());
      }
      if (buffer.offset().isPresent() || buffer.hint().isPresent()) {
        notes.count(Irregularity.OFFSET_NOT_CARRIED, lines.number());
      }
      builder.add(buffer);
    }
    return builder.build();
  }

  @Override
  public TraceNotes notes() {
    return notes.notes();
  }

  @Override
  public long position() {
    return lines.position();
  }

  @Override
  public void close() {
    lines.close();
  }

  /// Buffers in columns, and the order in which they begin and end.
  private static final class Schedule {
    private final Builder buffers;
    private final int[] begins;
    private final int[] ends;
    private final int[] ids;
    private int begun;
    private int ended;

    private Schedule(Builder buffers) {
      this.buffers = buffers;
      begins = order(Arrays.copyOf(buffers.lower, buffers.count));
      ends = order(Arrays.copyOf(buffers.upper, buffers.count));
      ids = new int[buffers.count];
    }

    /// The positions of the values from least to greatest, equal ones in their given order.
    private static int[] order(long[] values) {
      long[] sorted = values.clone();
      Arrays.sort(sorted);
      long[] keys = new long[values.length];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = (long) firstIndex(sorted, values[i]) << 32 | i;
      }
      Arrays.sort(keys);
      return Arrays.stream(keys).mapToInt(key -> (int) key).toArray();
    }

    private static int firstIndex(long[] sorted, long value) {
      int low = 0;
      int high = sorted.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (sorted[middle] < value) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    @Nullable TraceEvent next() {
      if (ended == ends.length) {
        return null;
      }
      int ending = ends[ended];
      if (begun < begins.length && buffers.lower[begins[begun]] < buffers.upper[ending]) {
        return begin(begins[begun]);
      }
      ended++;
      return new Free(
          ids[ending], buffers.size[ending], Free.Kind.COMPLETED, 0, buffers.upper[ending]);
    }

    private Allocate begin(int buffer) {
      ids[buffer] = begun++;
      String name = buffers.names.get(buffer);
      return new Allocate(
          ids[buffer],
          buffers.size[buffer],
          0,
          buffers.lower[buffer],
          buffers.alignment[buffer],
          TraceEvent.NO_ADDRESS,
          name.isEmpty() ? null : name,
          List.of());
    }

    private static final class Builder {
      private final List<String> names = new ArrayList<>();
      private long[] lower = new long[64];
      private long[] upper = new long[64];
      private long[] size = new long[64];
      private long[] alignment = new long[64];
      private int count;

      void add(MiniMallocBuffer buffer) {
        if (count == lower.length) {
          lower = Arrays.copyOf(lower, 2 * count);
          upper = Arrays.copyOf(upper, 2 * count);
          size = Arrays.copyOf(size, 2 * count);
          alignment = Arrays.copyOf(alignment, 2 * count);
        }
        names.add(buffer.id());
        lower[count] = buffer.lower();
        upper[count] = buffer.upper();
        size[count] = buffer.size();
        alignment[count] = buffer.alignment();
        count++;
      }

      Schedule build() {
        return new Schedule(this);
      }
    }
  }
}
