package dev.quarry.bench;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What a pair of close and reserve costs in a steady state, per pool and number of live
/// allocations, when pages held already have room. Run with `-prof gc` to see the bytes allocated
/// per pair.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ReserveCloseBenchmark {
  private static final int SIZES = 64;
  private static final int SCRIPT = 1 << 16;

  /// The pool under test, in the text form of layouts; `persistent` for the pool beside the layout.
  @Param({"sliced:page=64MiB", "exclusive:max=16KiB,period=1000000", "direct", "persistent"})
  public String pool = "";

  /// Allocations live at any time.
  @Param({"1000", "64000"})
  public int live;

  private DeviceMemory<Region> memory = open("direct");
  private Handle[] handles = {};
  private final int[] victims = new int[SCRIPT];
  private int step;

  /// Made by JMH.
  public ReserveCloseBenchmark() {}

  private static DeviceMemory<Region> open(String pool) {
    DeviceMemory<Region> memory =
        DeviceMemory.on(new CountingStorage(), new DeviceProperties(2L << 30, 32))
            .layout(Layout.parse(pool.equals("persistent") ? "direct" : pool))
            .open();
    if (pool.equals("persistent")) memory.persistent();
    return memory;
  }

  /// Fills the pool and makes room for one more of each size.
  @Setup(Level.Trial)
  public void fill() {
    memory.close();
    memory = open(pool);
    SplittableRandom random = new SplittableRandom(7);
    handles = new Handle[live];
    for (int i = 0; i < live; i++) handles[i] = memory.reserve(sizeOf(i));
    for (int i = 0; i < SCRIPT; i++) victims[i] = random.nextInt(live);
    for (int i = 0; i < SCRIPT; i++) closeAndReserve();
  }

  /// Small sizes that repeat, so that every pool can reuse what was closed.
  private static long sizeOf(int slot) {
    return 256 + 32L * (slot * 31 % SIZES);
  }

  /// Closes one allocation and reserves its size anew.
  ///
  /// @return the new handle
  @Benchmark
  public Handle closeAndReserve() {
    int victim = victims[step++ & SCRIPT - 1];
    handles[victim].close();
    Handle handle = memory.reserve(sizeOf(victim));
    handles[victim] = handle;
    return handle;
  }

  /// Releases the memory.
  @TearDown(Level.Trial)
  public void release() {
    memory.close();
  }
}
