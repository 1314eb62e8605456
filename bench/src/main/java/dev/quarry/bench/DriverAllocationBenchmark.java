package dev.quarry.bench;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.storage.StorageProvider;
import java.util.ServiceLoader;
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

/// What memory costs that comes from the driver each time, against memory that a pool holds, with
/// and without writing every byte of it: drivers that give nothing before the first touch look
/// cheaper without.
///
/// OpenCL and Vulkan here may be drivers that run on the processor. These say nothing about a GPU,
/// whose drivers take from microseconds to milliseconds.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class DriverAllocationBenchmark {
  /// The name of a provider, whose first device is used.
  @Param({"virtual", "opencl", "vulkan"})
  public String device = "";

  /// Bytes.
  @Param({"65536", "1048576", "16777216"})
  public long size;

  private Opened<?> opened = new Opened<>("bytes");

  /// Made by JMH.
  public DriverAllocationBenchmark() {}

  /// A storage, a memory over another one of the same kind that holds a page already, and a queue
  /// of each.
  private static final class Opened<R> {
    final Storage<R> storage;
    final CommandQueue<R> queue;
    final DeviceMemory<R> memory;
    final CommandQueue<R> pooledQueue;

    Opened(String name) {
      storage = open(name);
      queue = storage.openQueue();
      Storage<R> pooled = open(name);
      pooledQueue = pooled.openQueue();
      memory = DeviceMemory.on(pooled, DeviceMemory.HOST).open();
    }

    @SuppressWarnings("unchecked") // each is only used with its own resources
    private static <R> Storage<R> open(String name) {
      return (Storage<R>)
          ServiceLoader.load(StorageProvider.class).stream()
              .map(ServiceLoader.Provider::get)
              .filter(provider -> provider.name().equals(name))
              .findFirst()
              .orElseThrow()
              .open(0);
    }

    void allocate(long size, boolean written) {
      StorageId id = storage.allocate(size);
      if (written) write(queue, storage.get(new Region(id, 0, size)));
      storage.deallocate(id);
      storage.flush();
    }

    void reserve(long size, boolean written) {
      try (Handle handle = memory.reserve(size)) {
        if (written) write(pooledQueue, memory.resource(handle));
      }
    }

    private static <R> void write(CommandQueue<R> queue, R resource) {
      queue.fill(resource, (byte) 1);
      queue.fence().await();
    }

    void close() {
      queue.close();
      storage.close();
      pooledQueue.close();
      memory.close();
    }
  }

  /// Opens the device and lets the pool take its page.
  @Setup(Level.Trial)
  public void open() {
    opened.close();
    opened = new Opened<>(device);
    opened.reserve(size, true);
  }

  /// An allocation of the driver, given back.
  @Benchmark
  public void driver() {
    opened.allocate(size, false);
  }

  /// An allocation of the driver, written and given back.
  @Benchmark
  public void driverWritten() {
    opened.allocate(size, true);
  }

  /// A reservation from a pool, closed.
  @Benchmark
  public void pooled() {
    opened.reserve(size, false);
  }

  /// A reservation from a pool, written and closed.
  @Benchmark
  public void pooledWritten() {
    opened.reserve(size, true);
  }

  /// Closes everything.
  @TearDown(Level.Trial)
  public void close() {
    opened.close();
  }
}
