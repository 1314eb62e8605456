package dev.quarry.bench;

import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.runtime.Launch;
import dev.quarry.runtime.LaunchOutcome;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.annotations.Warmup;

/// Threads on one device, all on one stream or each on its own. Run with `-t 1`, `2`, `4` and `8`;
/// the score is that of all threads together.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class DeviceThreadsBenchmark {
  /// Whether the threads share a stream.
  @Param({"true", "false"})
  public boolean oneStream;

  private final Device<Region> device =
      Device.open(
          new CountingStorage(),
          DeviceBenchmark.PROPERTIES,
          DeviceOptions.DEFAULT.slots(8).layout(DeviceBenchmark.LAYOUT));
  private final AtomicInteger threads = new AtomicInteger();

  /// Made by JMH.
  public DeviceThreadsBenchmark() {}

  /// One thread's stream, and what it launches.
  @State(Scope.Thread)
  public static class Own {
    private @Nullable DeviceStream<Region> stream;
    private @Nullable Launch launch;

    /// Made by JMH.
    public Own() {}

    /// Takes a stream, and buffers on it.
    @Setup(Level.Trial)
    public void begin(DeviceThreadsBenchmark all) {
      DeviceStream<Region> own =
          all.device.stream(all.oneStream ? 0 : all.threads.getAndIncrement());
      Buffer a = own.allocate(4096);
      Buffer b = own.allocate(4096);
      Buffer c = own.allocate(4096);
      stream = own;
      launch = Launch.named("add").reads(a, b).writes(c);
    }

    DeviceStream<Region> stream() {
      return Objects.requireNonNull(stream);
    }

    Launch launch() {
      return Objects.requireNonNull(launch);
    }
  }

  /// An allocation and its end.
  @Benchmark
  public void allocateAndClose(Own own) {
    own.stream().allocate(4096).close();
  }

  /// A launch of the thread's own buffers.
  ///
  /// @return the outcome
  @Benchmark
  public LaunchOutcome launch(Own own) {
    return own.stream().launch(own.launch(), _ -> {});
  }
}
