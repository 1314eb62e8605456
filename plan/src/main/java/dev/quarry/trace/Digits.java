package dev.quarry.trace;

/// Numbers in a range of bytes. An answer is negative when the range holds no such number.
final class Digits {
  /// Not a number of the form asked for.
  static final long MALFORMED = -1;

  /// A well-formed number that is too large for a long.
  static final long TOO_LARGE = -2;

  private Digits() {}

  /// Decimal digits and nothing else.
  static long decimal(byte[] bytes, int from, int to) {
    if (from >= to) {
      return MALFORMED;
    }
    long value = 0;
    boolean fits = true;
    for (int i = from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        return MALFORMED;
      }
      fits &= value < Long.MAX_VALUE / 10 || (value == Long.MAX_VALUE / 10 && digit <= 7);
      value = value * 10 + digit;
    }
    return fits ? value : TOO_LARGE;
  }

  /// Whether the range is a hexadecimal number of at most 64 bits, with or without `0x`. Asked
  /// apart from the value because every long is a possible value.
  static boolean isHex(byte[] bytes, int from, int to) {
    int first = afterPrefix(bytes, from, to);
    int significant = first;
    while (significant < to && bytes[significant] == '0') {
      significant++;
    }
    if (first >= to || to - significant > 16) {
      return false;
    }
    for (int i = first; i < to; i++) {
      if (Character.digit(bytes[i], 16) < 0) {
        return false;
      }
    }
    return true;
  }

  /// The value of what [#isHex] has approved.
  static long hex(byte[] bytes, int from, int to) {
    long value = 0;
    for (int i = afterPrefix(bytes, from, to); i < to; i++) {
      int b = bytes[i];
      value = value << 4 | (b <= '9' ? b - '0' : (b | 0x20) - 'a' + 10);
    }
    return value;
  }

  private static int afterPrefix(byte[] bytes, int from, int to) {
    boolean prefix =
        to - from > 2 && bytes[from] == '0' && (bytes[from + 1] == 'x' || bytes[from + 1] == 'X');
    return prefix ? from + 2 : from;
  }
}
