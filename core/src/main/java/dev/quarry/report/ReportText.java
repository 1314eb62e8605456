package dev.quarry.report;

import dev.quarry.layout.PoolKind;
import dev.quarry.size.ByteSize;
import java.util.Locale;

/// The table form of a memory report.
final class ReportText {
  private ReportText() {}

  static String of(MemoryReport report) {
    StringBuilder text = new StringBuilder();
    row(
        text,
        "pool",
        "pages",
        "peak",
        "unmapped",
        "reserved",
        "in use",
        "padding",
        "largest",
        report.name());
    for (int i = 0; i < report.pools().size(); i++)
      row(text, String.valueOf(i), report.pools().get(i));
    row(text, "persistent", report.persistent());
    MemoryUsage all = report.usage();
    row(
        text,
        "all",
        "",
        "",
        "",
        size(all.bytesReserved()),
        size(all.bytesInUse()),
        size(all.bytesPadding()),
        "",
        "");
    return text.toString();
  }

  private static void row(StringBuilder text, String label, PoolReport pool) {
    MemoryUsage usage = pool.usage();
    PoolKind spec = pool.spec();
    row(
        text,
        label,
        pool.pages(),
        pool.pagesPeak(),
        pool.pagesUnmapped(),
        size(usage.bytesReserved()),
        size(usage.bytesInUse()),
        size(usage.bytesPadding()),
        size(pool.largestAlloc()),
        spec instanceof PoolKind.Persistent ? "" : spec);
  }

  private static void row(StringBuilder text, Object... cells) {
    String row = String.format(Locale.ROOT, "%-10s %6s %6s %8s %12s %12s %12s %12s  %s", cells);
    text.append(row.stripTrailing()).append("\n");
  }

  private static String size(long bytes) {
    return new ByteSize(bytes).rounded();
  }
}
