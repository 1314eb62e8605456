package dev.quarry.cli;

import dev.quarry.size.ByteSize;
import java.util.Locale;

/// How figures are said to people.
final class Words {
  private Words() {}

  /// `1536 bytes (1.50 KiB)`.
  static String bytes(long bytes) {
    if (bytes == 1) return "1 byte";
    return bytes + " bytes" + (bytes < 1024 ? "" : " (" + rounded(bytes) + ")");
  }

  /// `1.50 KiB`.
  static String rounded(long bytes) {
    return new ByteSize(bytes).rounded();
  }

  /// `1 event`, `2 events`.
  static String count(long count, String one) {
    return count + " " + (count == 1 ? one : one + "s");
  }

  /// `2.08 %`.
  static String percent(double share) {
    return String.format(Locale.ROOT, "%.2f %%", 100 * share);
  }
}
