package dev.quarry.jfr;

import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;

/// Records every pool of some memories periodically, while a recording wants it.
///
/// ```java
/// try (PoolSnapshots _ = PoolSnapshots.of(device::reports)) {
///   serve(device);
/// }
/// ```
///
/// Threads: may be made and closed by any thread. The reports are asked for by the recorder's
/// thread, so they must come from a device, or from whoever owns a memory.
public final class PoolSnapshots implements AutoCloseable {
  private final Supplier<List<MemoryReport>> reports;
  private final Runnable hook = this::record;

  private PoolSnapshots(Supplier<List<MemoryReport>> reports) {
    this.reports = reports;
  }

  /// Records what these reports say, from now on.
  public static PoolSnapshots of(Supplier<List<MemoryReport>> reports) {
    PoolSnapshots snapshots = new PoolSnapshots(reports);
    FlightRecorder.addPeriodicEvent(PoolSnapshotEvent.class, snapshots.hook);
    return snapshots;
  }

  /// What a report can not be had for is left out: a device may be closed before its snapshots.
  private void record() {
    List<MemoryReport> all;
    try {
      all = reports.get();
    } catch (RuntimeException _) {
      return;
    }
    for (int stream = 0; stream < all.size(); stream++) record(all.get(stream), stream);
  }

  private static void record(MemoryReport report, int stream) {
    for (int i = 0; i < report.pools().size(); i++)
      record(report.name(), stream, i, report.pools().get(i));
    record(report.name(), stream, MemoryReport.PERSISTENT, report.persistent());
  }

  private static void record(String memory, int stream, int number, PoolReport pool) {
    MemoryUsage usage = pool.usage();
    PoolSnapshotEvent event = new PoolSnapshotEvent();
    event.memory = memory;
    event.stream = stream;
    event.pool = number;
    event.kind = pool.spec().toString();
    event.allocations = usage.allocations();
    event.inUse = usage.bytesInUse();
    event.padding = usage.bytesPadding();
    event.reserved = usage.bytesReserved();
    event.pages = pool.pages();
    event.pagesPeak = pool.pagesPeak();
    event.pagesUnmapped = pool.pagesUnmapped();
    event.largestAlloc = pool.largestAlloc();
    event.largestFree = pool.largestFree();
    event.commit();
  }

  /// Records nothing more. Closing again does nothing.
  @Override
  public void close() {
    FlightRecorder.removePeriodicEvent(hook);
  }
}
