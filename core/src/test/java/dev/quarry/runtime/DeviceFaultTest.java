package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.DeviceMemory;
import dev.quarry.QuietLogger;
import dev.quarry.failure.InstallException;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import dev.quarry.storage.Recording;
import dev.quarry.storage.Region;
import dev.quarry.storage.SteppedStorage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// One piece of work that uses everything, tried once for every call that it makes to the storage,
/// its queues and their fences, with that call failing. Afterwards the device works as ever and its
/// books balance: a fault costs the operation it hit and nothing else.
class DeviceFaultTest {
  enum Fault {
    MEMORY {
      @Override
      RuntimeException exception() {
        return new MemoryException(new MemoryFailure.Unknown("injected"));
      }
    },
    FULL {
      @Override
      RuntimeException exception() {
        return new MemoryException(new MemoryFailure.OutOfMemory(1));
      }
    },
    WORK {
      @Override
      RuntimeException exception() {
        return new WorkException(new WorkFailure.Generic("injected"));
      }
    },
    DRIVER {
      @Override
      RuntimeException exception() {
        return new UnsupportedOperationException("injected");
      }
    };

    abstract RuntimeException exception();
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void aFaultCostsTheOperationItHitAndNothingElse(Fault fault) {
    int calls = callsOf(fault);
    assertThat(calls).isGreaterThan(40);
    for (int k = 0; k < calls; k++) tryWithFaultAt(k, fault);
  }

  private static int callsOf(Fault fault) {
    FaultyStorage storage = new FaultyStorage(Integer.MAX_VALUE, fault);
    try (Device<MemorySegment> device = open(storage)) {
      work(device);
      device.cleanUp();
      return storage.calls;
    }
  }

  private static Device<MemorySegment> open(FaultyStorage storage) {
    return Device.open(
        storage,
        DeviceMemory.HOST,
        DeviceOptions.DEFAULT
            .slots(2)
            .logger(new QuietLogger())
            .layout(Layout.of(PoolSpec.sliced(1024), PoolSpec.direct())));
  }

  private static void tryWithFaultAt(int k, Fault fault) {
    String at = fault + " at call " + k;
    FaultyStorage storage = new FaultyStorage(k, fault);
    Device<MemorySegment> device = open(storage);
    work(device);
    storage.failAt = Integer.MAX_VALUE;
    device.cleanUp();
    storage.inner.finish();
    device.cleanUp();

    assertThat(device.errors().isEmpty()).as(at).isTrue();
    assertThat(device.usage().bytesReserved()).as(at).isZero();
    worksAsEver(device, at);
    device.close();
    assertThat(storage.bytesAllocated()).as(at).isZero();
  }

  private static void worksAsEver(Device<MemorySegment> device, String at) {
    for (long id = 0; id < 2; id++) {
      DeviceStream<MemorySegment> stream = device.stream(id);
      try (Buffer buffer = device.stream(1 - id).allocate(16)) {
        stream.fill(buffer, (byte) 5).orThrow();
        byte[] bytes = new byte[16];
        stream.read(buffer, MemorySegment.ofArray(bytes));
        assertThat(bytes).as(at).containsOnly(5);
      }
    }
  }

  /// Every step goes on whatever became of the one before, as a program does that handles errors.
  private static void work(Device<MemorySegment> device) {
    List<Buffer> held = new ArrayList<>();
    DeviceStream<MemorySegment> one = orNull(() -> device.stream(0));
    DeviceStream<MemorySegment> two = orNull(() -> device.stream(1));
    if (one == null || two == null) return;
    Buffer a = keep(held, orNull(() -> one.allocate(600, "a")));
    Buffer b = keep(held, orNull(() -> two.allocate(600, "b")));
    Buffer large = keep(held, orNull(() -> one.allocateDeferred(5000)));
    if (a == null || b == null || large == null) {
      held.forEach(Buffer::close);
      return;
    }
    MemorySegment host = MemorySegment.ofArray(new byte[600]);
    attempt(() -> one.write(a, host));
    attempt(() -> two.copy(a, b));
    attempt(() -> one.fill(large, (byte) 1));
    attempt(() -> two.read(b, host));
    attempt(() -> capture(one, a));
    attempt(
        () ->
            one.launch(Launch.named("w").reads(a).writes(b), scope -> scope.queue().run(() -> {})));
    attempt(() -> two.read(b, host));
    attempt(() -> device.check(a, b, large));
    held.forEach(Buffer::close);
    attempt(() -> one.install(Layout.of(PoolSpec.sliced(2048))));
    attempt(device::cleanUp);
  }

  private static void capture(DeviceStream<MemorySegment> stream, Buffer buffer) {
    try (StreamCapture<MemorySegment> capture = stream.capture()) {
      stream.fill(buffer, (byte) 1);
      capture.begin();
      stream.fill(buffer, (byte) 2);
      try (DeviceGraph<MemorySegment> graph = capture.end()) {
        graph.replay();
      }
    }
  }

  private static @Nullable Buffer keep(List<Buffer> held, @Nullable Buffer buffer) {
    if (buffer != null) held.add(buffer);
    return buffer;
  }

  private static <T> @Nullable T orNull(Supplier<T> action) {
    try {
      return action.get();
    } catch (MemoryException | WorkException | InstallException | UnsupportedOperationException _) {
      return null;
    }
  }

  private static void attempt(Runnable action) {
    orNull(
        () -> {
          action.run();
          return true;
        });
  }

  /// Fails the call with this number, once.
  private static final class FaultyStorage extends ForwardingStorage {
    final SteppedStorage inner;
    final Fault fault;
    int failAt;
    int calls;

    FaultyStorage(int failAt, Fault fault) {
      this(new SteppedStorage(), failAt, fault);
    }

    private FaultyStorage(SteppedStorage inner, int failAt, Fault fault) {
      super(inner);
      this.inner = inner;
      this.failAt = failAt;
      this.fault = fault;
    }

    void call() {
      if (calls++ == failAt) throw fault.exception();
    }

    @Override
    public StorageId allocate(long size) {
      call();
      return super.allocate(size);
    }

    @Override
    public MemorySegment get(Region region) {
      call();
      return super.get(region);
    }

    @Override
    public void deallocate(StorageId id) {
      call();
      super.deallocate(id);
    }

    @Override
    public void flush() {
      call();
      super.flush();
    }

    @Override
    public CommandQueue<MemorySegment> openQueue() {
      call();
      return new FaultyQueue(super.openQueue());
    }

    private final class FaultyQueue implements CommandQueue<MemorySegment> {
      private final CommandQueue<MemorySegment> queue;

      FaultyQueue(CommandQueue<MemorySegment> queue) {
        this.queue = queue;
      }

      @Override
      public boolean isSynchronous() {
        return false;
      }

      @Override
      public void write(MemorySegment source, MemorySegment target) {
        call();
        queue.write(source, target);
      }

      @Override
      public void read(MemorySegment source, MemorySegment target) {
        call();
        queue.read(source, target);
      }

      @Override
      public void copy(MemorySegment source, MemorySegment target) {
        call();
        queue.copy(source, target);
      }

      @Override
      public void fill(MemorySegment target, byte value) {
        call();
        queue.fill(target, value);
      }

      @Override
      public void run(Runnable work) {
        call();
        queue.run(work);
      }

      @Override
      public Fence fence() {
        call();
        return new FaultyFence(queue.fence());
      }

      @Override
      public void waitFor(Fence fence) {
        call();
        queue.waitFor(((FaultyFence) fence).fence);
      }

      @Override
      public void beginRecording() {
        call();
        queue.beginRecording();
      }

      @Override
      public Recording endRecording() {
        if (calls == failAt) queue.dropRecording();
        call();
        Recording recorded = queue.endRecording();
        return new Recording() {
          @Override
          public void replay() {
            call();
            recorded.replay();
          }

          @Override
          public void close() {
            recorded.close();
          }
        };
      }

      @Override
      public void dropRecording() {
        queue.dropRecording();
      }

      @Override
      public void close() {
        queue.close();
      }
    }

    private final class FaultyFence implements Fence {
      private final Fence fence;

      FaultyFence(Fence fence) {
        this.fence = fence;
      }

      @Override
      public boolean isPassed() {
        call();
        return fence.isPassed();
      }

      @Override
      public void await() {
        call();
        fence.await();
      }
    }
  }
}
