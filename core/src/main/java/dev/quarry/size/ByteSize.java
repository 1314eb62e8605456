package dev.quarry.size;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An exact number of bytes, zero or more.
///
/// Reads and prints binary units (`KiB` = 1024 bytes, up to `EiB`). Arithmetic that leaves the
/// range of a `long` throws [ArithmeticException] instead of wrapping. Immutable, so any thread may
/// use it.
///
/// ```java
/// long page = ByteSize.parse("64MiB").bytes();   // 67108864
/// ByteSize.ofMiB(64).toString();                 // "64MiB"
/// ```
///
/// @param bytes the number of bytes
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final Pattern TEXT =
      Pattern.compile(
          "(\\d{1,19}(?:\\.\\d{1,18})?)\\s*(B|KiB|MiB|GiB|TiB|PiB|EiB)?", Pattern.CASE_INSENSITIVE);

  /// @throws IllegalArgumentException when `bytes` is negative
  public ByteSize {
    if (bytes < 0)
      throw new IllegalArgumentException("size (" + bytes + ") is negative: a size counts bytes");
  }

  /// `count` kibibytes.
  public static ByteSize ofKiB(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 10));
  }

  /// `count` mebibytes.
  public static ByteSize ofMiB(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 20));
  }

  /// `count` gibibytes.
  public static ByteSize ofGiB(long count) {
    return new ByteSize(Math.multiplyExact(count, 1L << 30));
  }

  /// Reads `4096`, `4096B`, `64MiB` or `1.5 GiB`; the unit's case does not matter.
  ///
  /// Decimal units such as `MB` are refused, because half of their users mean the binary one.
  ///
  /// @throws IllegalArgumentException when the text is no size, is not a whole number of bytes, or
  ///   exceeds the range of a `long`
  public static ByteSize parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size: expected bytes or a binary unit, such as 4096 or 64MiB");
    }
    BigDecimal value =
        new BigDecimal(matcher.group(1))
            .multiply(BigDecimal.valueOf(1L << shiftOf(matcher.group(2))));
    try {
      return new ByteSize(value.longValueExact());
    } catch (ArithmeticException e) {
      String why =
          value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
              ? "exceeds " + Long.MAX_VALUE + " bytes"
              : "is not a whole number of bytes";
      throw new IllegalArgumentException("'" + text + "' " + why, e);
    }
  }

  private static int shiftOf(String unit) {
    if (unit == null) return 0;
    return 10 * "BKMGTPE".indexOf(unit.toUpperCase(Locale.ROOT).charAt(0));
  }

  /// The sum of both sizes.
  public ByteSize plus(ByteSize other) {
    return new ByteSize(Math.addExact(bytes, other.bytes));
  }

  /// This size `count` times.
  public ByteSize times(long count) {
    return new ByteSize(Math.multiplyExact(bytes, count));
  }

  /// A rounded form for people, with two decimals from one kibibyte on: `1.46 MiB`.
  public String rounded() {
    if (bytes < 1024) return bytes + " B";
    int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
    return String.format(Locale.ROOT, "%.2f %s", bytes / (double) (1L << (10 * unit)), UNITS[unit]);
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /// The exact size in the largest unit that divides it, so that [#parse] gives back the same
  /// value.
  @Override
  public String toString() {
    if (bytes == 0) return "0";
    int unit = Math.min(Long.numberOfTrailingZeros(bytes) / 10, 6);
    return unit == 0 ? Long.toString(bytes) : (bytes >> (10 * unit)) + UNITS[unit];
  }
}
