package dev.quarry.bench;

import dev.quarry.DeviceMemory;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.runtime.ExecuteScope;
import dev.quarry.runtime.Launch;
import dev.quarry.runtime.LaunchBody;
import dev.quarry.runtime.LaunchOutcome;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What the runtime adds to the bare core: allocating and closing a buffer against reserving and
/// closing a handle, and a launch whose body does nothing. Run with `-prof gc`.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class DeviceBenchmark {
  static final DeviceProperties PROPERTIES = new DeviceProperties(2L << 30, 32);
  static final Layout LAYOUT = Layout.parse("sliced:page=64MiB");
  private static final long SIZE = 4096;

  private final DeviceMemory<Region> memory =
      DeviceMemory.on(new CountingStorage(), PROPERTIES).layout(LAYOUT).open();
  private final Device<Region> device =
      Device.open(new CountingStorage(), PROPERTIES, DeviceOptions.DEFAULT.slots(2).layout(LAYOUT));
  private final DeviceStream<Region> stream = device.stream(0);
  private final DeviceStream<Region> other = device.stream(1);
  private final Buffer a = stream.allocate(SIZE);
  private final Buffer b = stream.allocate(SIZE);
  private final Buffer c = stream.allocate(SIZE);
  private final Launch launch = Launch.named("add").reads(a, b).writes(c);
  private final LaunchBody<Region, RuntimeException> body = DeviceBenchmark::nothing;

  /// Made by JMH.
  public DeviceBenchmark() {}

  private static void nothing(ExecuteScope<Region> scope) {}

  /// The bare core.
  @Benchmark
  public void reserveAndClose() {
    memory.reserve(SIZE).close();
  }

  /// The same on a device.
  @Benchmark
  public void allocateAndClose() {
    stream.allocate(SIZE).close();
  }

  /// Two reads and one write, none claimed, on the stream of all three.
  ///
  /// @return the outcome
  @Benchmark
  public LaunchOutcome launch() {
    return stream.launch(launch, body);
  }

  /// The same on another stream.
  ///
  /// @return the outcome
  @Benchmark
  public LaunchOutcome launchAcross() {
    return other.launch(launch, body);
  }

  /// Releases everything.
  @TearDown(Level.Trial)
  public void release() {
    memory.close();
    device.close();
  }
}
