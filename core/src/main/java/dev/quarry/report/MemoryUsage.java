package dev.quarry.report;

import java.util.Locale;

/// How much memory is used, at one moment. Immutable.
///
/// @param allocations live allocations
/// @param bytesInUse the bytes they asked for
/// @param bytesPadding the bytes added to them for alignment
/// @param bytesReserved the bytes of device allocations held, used or free, mapped or not
public record MemoryUsage(
    long allocations, long bytesInUse, long bytesPadding, long bytesReserved) {
  /// No memory at all.
  public static final MemoryUsage NONE = new MemoryUsage(0, 0, 0, 0);

  private static final String UNITS = "KMGTPEZY";

  /// The sums of both usages.
  public MemoryUsage plus(MemoryUsage other) {
    return new MemoryUsage(
        allocations + other.allocations,
        bytesInUse + other.bytesInUse,
        bytesPadding + other.bytesPadding,
        bytesReserved + other.bytesReserved);
  }

  /// Several lines for people, with decimal units.
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "allocations: %d%nin use:      %s (%.2f %% of reserved)%npadding:     %s (%.2f %% of in"
            + " use)%nreserved:    %s",
        allocations,
        decimal(bytesInUse),
        percent(bytesInUse, bytesReserved),
        decimal(bytesPadding),
        percent(bytesPadding, bytesInUse),
        decimal(bytesReserved));
  }

  private static double percent(long part, long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }

  private static String decimal(long bytes) {
    if (bytes < 1000) return bytes + " B";
    double value = bytes;
    int unit = -1;
    while (value >= 1000 && unit < UNITS.length() - 1) {
      value /= 1000;
      unit++;
    }
    return String.format(Locale.ROOT, "%.2f %cB", value, UNITS.charAt(unit));
  }
}
