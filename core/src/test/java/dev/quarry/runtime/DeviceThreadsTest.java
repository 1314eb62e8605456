package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.QuietLogger;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.report.MemoryUsage;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.SteppedStorage;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;

/// Many threads on one device at once. Every buffer is filled with a number of its own and looked
/// at before it is closed: two live regions that overlapped would show. Shared buffers are always
/// filled as a whole, so that a reader who sees two numbers saw a write that was not finished.
///
/// `-Dquarry.random.ops=5000000` is the soak.
class DeviceThreadsTest {
  private static final int THREADS = 8;
  private static final int SHARED = 6;
  private static final long OPS = Long.getLong("quarry.random.ops", 40_000);

  @Test
  void booksBalanceAndNothingOverlapsWhereWorkIsDoneAtOnce() throws Exception {
    run(new BytesStorage());
  }

  @Test
  void booksBalanceAndNothingOverlapsWhereWorkIsDoneLater() throws Exception {
    run(new SteppedStorage());
  }

  private static void run(Storage<MemorySegment> storage) throws Exception {
    long seed = Long.getLong("quarry.random.seed", System.nanoTime());
    System.out.println("threads on a device: seed " + seed);
    Device<MemorySegment> device =
        Device.open(
            storage,
            new DeviceProperties(1 << 18, 64),
            DeviceOptions.DEFAULT
                .slots(5)
                .logger(new QuietLogger())
                .layout(Layout.of(PoolSpec.sliced(1 << 16), PoolSpec.direct())));
    AtomicReferenceArray<Buffer> shared = new AtomicReferenceArray<>(SHARED);
    AtomicLong numbers = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        SplittableRandom random = new SplittableRandom(seed + t);
        Worker worker = new Worker(device, random, shared, numbers);
        all.add(threads.submit(() -> worker.work(OPS / THREADS)));
      }
      for (Future<?> each : all) get(each, seed);
    }
    for (int i = 0; i < SHARED; i++) close(shared.getAndSet(i, null));
    if (storage instanceof SteppedStorage stepped) stepped.finish();
    device.cleanUp();
    assertThat(device.errors().isEmpty()).as("seed %d", seed).isTrue();
    assertThat(device.usage()).as("seed %d", seed).isEqualTo(MemoryUsage.NONE);
    assertThat(storage.bytesAllocated()).as("seed %d", seed).isZero();
    device.close();
  }

  private static void get(Future<?> future, long seed) throws InterruptedException {
    try {
      future.get();
    } catch (ExecutionException e) {
      throw new AssertionError("seed " + seed, e.getCause());
    }
  }

  private static void close(Buffer buffer) {
    if (buffer != null) buffer.close();
  }

  private record Worker(
      Device<MemorySegment> device,
      SplittableRandom random,
      AtomicReferenceArray<Buffer> shared,
      AtomicLong numbers) {
    void work(long ops) {
      for (long i = 0; i < ops; i++) {
        switch (random.nextInt(20)) {
          case 0 -> stream().tryInstall(Layout.of(PoolSpec.sliced(1 << (13 + random.nextInt(4)))));
          case 1 -> device.cleanUp();
          case 2 -> device.usage();
          case 3, 4, 5 -> share();
          case 6, 7, 8 -> lookAtShared();
          case 9 -> failOnShared();
          default -> useOwn();
        }
      }
    }

    DeviceStream<MemorySegment> stream() {
      return device.stream(random.nextInt(10));
    }

    /// Fills, copies on another stream, and compares.
    void useOwn() {
      int size = 8 * (1 + random.nextInt(random.nextInt(50) == 0 ? 4000 : 100));
      byte number = (byte) numbers.incrementAndGet();
      try (Buffer own = stream().allocate(size);
          Buffer copy = stream().allocate(size)) {
        fill(own, number);
        stream().copy(own, copy).orThrow();
        checkAll(copy, number);
        checkAll(own, number);
      } catch (MemoryException e) {
        // A layout of small pages may be in place: the request is refused, and that is right.
      }
    }

    void fill(Buffer buffer, byte number) {
      stream()
          .launch(
              Launch.named("fill").writes(buffer),
              scope -> {
                MemorySegment target = scope.resource(buffer);
                scope.queue().run(() -> target.fill(number));
              })
          .orThrow();
    }

    void checkAll(Buffer buffer, byte number) {
      byte[] bytes = new byte[(int) buffer.length()];
      stream().read(buffer, MemorySegment.ofArray(bytes));
      for (byte each : bytes)
        if (each != number) throw new AssertionError(each + " among bytes of " + number);
    }

    void share() {
      Buffer mine;
      try {
        mine = stream().allocate(256, "shared");
      } catch (MemoryException _) {
        return;
      }
      fill(mine, (byte) numbers.incrementAndGet());
      close(shared.getAndSet(random.nextInt(SHARED), mine));
    }

    /// The other thread may close it at any moment; a duplicate keeps it.
    void lookAtShared() {
      try (Buffer held = borrow()) {
        if (held == null) return;
        if (random.nextBoolean()) {
          stream().fill(held, (byte) numbers.incrementAndGet());
          return;
        }
        stream()
            .launch(
                Launch.named("look").reads(held),
                scope -> {
                  MemorySegment bytes = scope.resource(held);
                  scope.queue().run(() -> checkUniform(bytes));
                });
        byte[] bytes = new byte[256];
        stream().read(held, MemorySegment.ofArray(bytes));
        checkUniform(MemorySegment.ofArray(bytes));
      } catch (WorkException e) {
        if (!e.getMessage().contains("on purpose")) throw e;
      }
    }

    void failOnShared() {
      try (Buffer held = borrow()) {
        if (held == null) return;
        stream()
            .launch(
                Launch.named("fail").writes(held),
                scope -> scope.fail(new WorkFailure.Generic("on purpose")));
      }
    }

    Buffer borrow() {
      Buffer buffer = shared.get(random.nextInt(SHARED));
      try {
        return buffer == null ? null : buffer.duplicate();
      } catch (IllegalStateException _) {
        return null; // closed in between
      }
    }

    static void checkUniform(MemorySegment bytes) {
      byte first = bytes.get(ValueLayout.JAVA_BYTE, 0);
      for (long i = 1; i < bytes.byteSize(); i++) {
        if (bytes.get(ValueLayout.JAVA_BYTE, i) != first)
          throw new AssertionError("an unfinished write was seen");
      }
    }
  }
}
