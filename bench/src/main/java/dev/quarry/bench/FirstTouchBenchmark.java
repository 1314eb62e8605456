package dev.quarry.bench;

import dev.quarry.host.HugePages;
import dev.quarry.host.VirtualOptions;
import dev.quarry.host.VirtualStorage;
import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

/// What the first touch of virtual memory costs, with the pages that the kernel is asked for.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FirstTouchBenchmark {
  private static final long SMALLEST_PAGE = 4096;

  /// The pages that are asked for.
  @Param({"WELCOME", "NEVER"})
  public HugePages pages = HugePages.WELCOME;

  /// Bytes.
  @Param({"2097152", "268435456"})
  public long size;

  private VirtualStorage touched = VirtualStorage.open();
  private VirtualStorage populated = VirtualStorage.open();

  /// Made by JMH.
  public FirstTouchBenchmark() {}

  /// Opens the storages.
  @Setup(Level.Trial)
  public void open() {
    close();
    VirtualOptions options = VirtualOptions.ofMachine().hugePages(pages);
    touched = VirtualStorage.open(options);
    populated = VirtualStorage.open(options.populate());
  }

  /// Allocates, writes a byte of every page, and gives back.
  @Benchmark
  public void touch() {
    StorageId id = touched.allocate(size);
    MemorySegment bytes = touched.get(new Region(id, 0, size));
    for (long at = 0; at < size; at += SMALLEST_PAGE)
      bytes.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
    touched.deallocate(id);
  }

  /// Allocates with the kernel touching every page, and gives back.
  @Benchmark
  public void populate() {
    populated.deallocate(populated.allocate(size));
  }

  /// Closes the storages.
  @TearDown(Level.Trial)
  public void close() {
    touched.close();
    populated.close();
  }
}
