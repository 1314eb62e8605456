package dev.quarry.bench;

import dev.quarry.failure.InstallRefusal;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// How long an install keeps a stream when 10,000 slices are free apart from each other, and as
/// many in between were closed just now.
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 200)
@Measurement(iterations = 200)
@Fork(3)
public class InstallBenchmark {
  private static final int FREE = 10_000;

  private final Device<Region> device =
      Device.open(
          new CountingStorage(),
          DeviceBenchmark.PROPERTIES,
          DeviceOptions.DEFAULT.slots(1).layout(DeviceBenchmark.LAYOUT));
  private final DeviceStream<Region> stream = device.stream(0);

  /// Made by JMH.
  public InstallBenchmark() {}

  /// Leaves free slices, each between two that are live until the last moment.
  @Setup(Level.Invocation)
  public void fragment() {
    List<Buffer> free = new ArrayList<>();
    List<Buffer> between = new ArrayList<>();
    for (int i = 0; i < FREE; i++) {
      free.add(stream.allocate(4096));
      between.add(stream.allocate(32));
    }
    free.forEach(Buffer::close);
    stream.report();
    between.forEach(Buffer::close);
  }

  /// Replaces the pools.
  ///
  /// @return nothing, as no buffer is live
  @Benchmark
  public Optional<InstallRefusal> install() {
    return stream.tryInstall(DeviceBenchmark.LAYOUT);
  }

  /// Releases everything.
  @TearDown(Level.Trial)
  public void release() {
    device.close();
  }
}
