package dev.quarry.runtime;

import dev.quarry.failure.Exhausted;
import dev.quarry.failure.Holder;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.PoolSpec;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Tells why a device has no memory for a request, from the books at that moment.
final class Exhaustion {
  private static final int HOLDERS = 5;

  private Exhaustion() {}

  static Exhausted of(Device<?> device, Slot<?> slot, long size, MemoryFailure last) {
    MemoryReport report = slot.main.report();
    MemoryUsage usage = report.usage();
    List<PoolReport> all = new ArrayList<>(report.pools());
    all.add(report.persistent());
    long largestFree = all.stream().mapToLong(PoolReport::largestFree).max().orElse(0);
    long elsewhere = 0;
    for (Slot<?> other : device.slots()) {
      if (other != slot) elsewhere += other.main.usage().bytesReserved();
    }
    List<Holder> holders = slot.main.holders().stream().limit(HOLDERS).toList();
    return new Exhausted(
        size,
        report.name(),
        usage.bytesInUse(),
        usage.bytesPadding(),
        usage.bytesReserved(),
        cap(report),
        largestFree,
        elsewhere,
        all.stream().map(Exhaustion::figures).toList(),
        holders,
        last,
        help(size, last, report, elsewhere, pins(device), holders));
  }

  private static int pins(Device<?> device) {
    return device.slots().stream().mapToInt(Slot::pins).sum();
  }

  /// The sum of the caps; empty where a pool has none.
  private static OptionalLong cap(MemoryReport report) {
    long sum = 0;
    for (PoolReport pool : report.pools()) {
      OptionalLong cap = cap(pool);
      if (cap.isEmpty()) return cap;
      sum += cap.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  private static OptionalLong cap(PoolReport pool) {
    return pool.spec() instanceof PoolSpec.Sliced sliced
        ? sliced.maxPoolSize()
        : OptionalLong.empty();
  }

  private static Exhausted.Pool figures(PoolReport pool) {
    MemoryUsage usage = pool.usage();
    return new Exhausted.Pool(
        pool.spec().toString(),
        usage.allocations(),
        usage.bytesInUse(),
        usage.bytesReserved(),
        cap(pool),
        pool.largestFree());
  }

  private static String help(
      long size,
      MemoryFailure last,
      MemoryReport report,
      long elsewhere,
      int pins,
      List<Holder> holders) {
    MemoryUsage usage = report.usage();
    long free = usage.bytesReserved() - usage.bytesInUse() - usage.bytesPadding();
    List<String> ways = new ArrayList<>();
    if (!holders.isEmpty() && holders.getFirst().bytes() > 0) {
      String most = holders.getFirst().label();
      ways.add(
          "close buffers, first "
              + (most.isEmpty() ? "those without a label" : "those labelled " + most));
    }
    if (last instanceof MemoryFailure.PoolCapacityExceeded(_, long capacity, long inUse)) {
      ways.add(
          "install a layout measured with this work: the cap of "
              + capacity
              + " bytes is short by "
              + Math.max(0, size - (capacity - inUse))
              + " at least");
    }
    if (free >= size)
      ways.add(
          free
              + " bytes are free but in extents too short for "
              + size
              + ": reserve in the order of a dry run, or keep long-lived buffers in a persistent"
              + " window");
    if (elsewhere >= size)
      ways.add("use fewer streams: other streams hold " + elsewhere + " bytes");
    if (pins > 0) ways.add("wait: " + pins + " commands of other streams keep memory pinned");
    if (ways.isEmpty()) ways.add("ask for less, or use a device with more memory");
    return String.join("; ", ways);
  }
}
