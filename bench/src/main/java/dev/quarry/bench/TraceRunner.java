package dev.quarry.bench;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.replay.ReplayResult.Checksums;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/// Replays traces through layouts over a storage without memory, and prints what they cost and
/// where they put things.
///
/// Usage: `TraceRunner TRACES LAYOUTS [RUNS]`, where TRACES are names the
/// [generator][TraceGenerator] knows or files in its text form, joined by commas, and LAYOUTS are
/// layouts in their text form, joined by `|`. Each pair runs RUNS times (9 by default) after two
/// seconds to warm up; the median counts.
public final class TraceRunner {
  private static final DeviceProperties DEVICE = new DeviceProperties(2L << 30, 32);

  private static final long WARM_UP_NANOS = 2_000_000_000;

  private TraceRunner() {}

  /// Runs every trace through every layout.
  ///
  /// @param args traces, layouts, and optionally the number of runs
  public static void main(String[] args) {
    int runs = args.length > 2 ? Integer.parseInt(args[2]) : 9;
    System.out.printf(
        Locale.ROOT,
        "%-8s %-34s %9s %9s %9s  %-16s %-16s%n",
        "trace",
        "layout",
        "ops",
        "ns/op",
        "min",
        "loc",
        "sto");
    for (String trace : args[0].split(",", -1)) {
      Ops ops = trace.contains(".") ? Ops.read(Path.of(trace)) : Ops.generate(trace);
      for (String layout : args[1].split("\\|", -1)) print(ops, Layout.parse(layout), runs);
    }
  }

  private static void print(Ops ops, Layout layout, int runs) {
    long warm = System.nanoTime() + WARM_UP_NANOS;
    while (System.nanoTime() < warm) run(ops, layout, false);
    double[] times =
        IntStream.range(0, runs)
            .mapToDouble(i -> run(ops, layout, false).nanosPerOp())
            .sorted()
            .toArray();
    Run checked = run(ops, layout, true);
    System.out.printf(
        Locale.ROOT,
        "%-8s %-34s %9d %9.1f %9.1f  %s%n",
        ops.name(),
        layout,
        ops.timed(),
        times[runs / 2],
        times[0],
        checked.checksums);
    List<PoolReport> pools = checked.report.pools();
    for (int i = 0; i < pools.size(); i++) {
      PoolReport pool = pools.get(i);
      if (pool.pagesPeak() == 0) continue;
      System.out.printf(
          Locale.ROOT,
          "         pool %d: pages %d, peak %d, reserved %d, in use %d%n",
          i,
          pool.pages(),
          pool.pagesPeak(),
          pool.usage().bytesReserved(),
          pool.usage().bytesInUse());
    }
  }

  record Run(double nanosPerOp, MemoryReport report, Checksums checksums) {}

  static Run run(Ops ops, Layout layout, boolean withChecksums) {
    try (DeviceMemory<Region> memory =
        DeviceMemory.on(new CountingStorage(), DEVICE).layout(layout).open()) {
      Handle[] handles = new Handle[ops.slots()];
      try {
        return run(ops, memory, handles, withChecksums);
      } finally {
        Reference.reachabilityFence(handles);
      }
    }
  }

  private static Run run(
      Ops ops, DeviceMemory<Region> memory, Handle[] handles, boolean withChecksums) {
    Checksums sums = Checksums.START;
    int untimed = ops.size() - ops.timed();
    long start = System.nanoTime();
    for (int i = 0; i < ops.size(); i++) {
      if (i == untimed) start = System.nanoTime();
      int slot = ops.slot(i);
      if (ops.isFree(i)) {
        handles[slot].close();
      } else {
        Handle handle = memory.reserve(ops.bytes(i));
        handles[slot] = handle;
        if (withChecksums) sums = sums.with(memory.placement(handle), memory.locate(handle));
      }
    }
    double nanos = System.nanoTime() - start;
    return new Run(nanos / ops.timed(), memory.report(), sums);
  }
}
