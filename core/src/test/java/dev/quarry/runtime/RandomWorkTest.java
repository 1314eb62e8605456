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
import dev.quarry.storage.SteppedStorage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random work on an asynchronous device against an oracle that keeps, for every byte, its value
/// and whether it is stale. The oracle works at once, in the order of issue; the device does its
/// queues' commands in random interleavings. A wait, a pin or a claim that is missing shows as a
/// wrong byte.
///
/// `-Dquarry.random.seeds=5000` tries more; a failure names its seed, which `-Dquarry.random.seed=`
/// repeats.
class RandomWorkTest {
  private static final int SLOTS = 4;
  private static final int STREAMS = 8;
  private static final int STEPS = 300;

  static LongStream seeds() {
    Long one = Long.getLong("quarry.random.seed");
    return one != null
        ? LongStream.of(one)
        : LongStream.range(0, Long.getLong("quarry.random.seeds", 400));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyByteReadIsTheOneWrittenLastOrItsReaderIsTold(long seed) {
    new Run(seed).run();
  }

  /// What the oracle knows of an allocation.
  private static final class Model {
    final byte[] value;
    final boolean[] known;
    final boolean[] stale;
    final boolean allocated;

    Model(int size, boolean allocated) {
      value = new byte[size];
      known = new boolean[size];
      stale = new boolean[size];
      this.allocated = allocated;
    }
  }

  /// A window of a buffer, and what the oracle knows of it.
  private record Held(Buffer buffer, Model model) {
    int from() {
      return (int) buffer.fromFront();
    }

    int to() {
      return (int) (buffer.size() - buffer.fromBack());
    }

    boolean isStale() {
      if (!model.allocated) return true;
      for (int i = from(); i < to(); i++) if (model.stale[i]) return true;
      return false;
    }

    void makeStale() {
      Arrays.fill(model.stale, from(), to(), true);
    }

    byte[] values() {
      return Arrays.copyOfRange(model.value, from(), to());
    }

    boolean[] known() {
      return Arrays.copyOfRange(model.known, from(), to());
    }

    void write(int at, byte[] bytes, boolean[] known) {
      System.arraycopy(bytes, 0, model.value, from() + at, bytes.length);
      System.arraycopy(known, 0, model.known, from() + at, bytes.length);
      Arrays.fill(model.stale, from() + at, from() + at + bytes.length, false);
    }
  }

  private static final class Run {
    final long seed;
    final SplittableRandom random;
    final SteppedStorage storage = new SteppedStorage();
    final Device<MemorySegment> device =
        Device.open(
            storage,
            new DeviceProperties(1 << 16, 32),
            DeviceOptions.DEFAULT
                .slots(SLOTS)
                .logger(new QuietLogger())
                .layout(Layout.of(PoolSpec.sliced(1 << 13), PoolSpec.direct())));
    final List<Held> held = new ArrayList<>();

    Run(long seed) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step();
        checkFailures();
      }
      storage.finish();
      for (Held each : held) {
        readAndCompare(each);
        each.buffer.close();
      }
      storage.finish();
      device.cleanUp();
      check(device.errors().isEmpty(), "failures outlive all buffers");
      assertThat(device.usage()).as("seed %d", seed).isEqualTo(MemoryUsage.NONE);
      assertThat(storage.bytesAllocated()).as("seed %d", seed).isZero();
      device.close();
    }

    /// A failure is present if and only if bytes are claimed by it. Memory that is closed but
    /// pinned keeps its claims until the pin goes.
    void checkFailures() {
      device.usage();
      boolean stale =
          held.stream().map(Held::model).anyMatch(model -> !model.allocated || anyOf(model.stale));
      if (stale) check(!device.errors().isEmpty(), "stale bytes without a failure");
      else if (!device.pinsPending)
        check(device.errors().isEmpty(), "a failure without stale bytes");
    }

    static boolean anyOf(boolean[] flags) {
      for (boolean flag : flags) if (flag) return true;
      return false;
    }

    void step() {
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> allocate();
        case 3 -> close();
        case 4 -> view();
        case 5, 6, 7, 8 -> launch();
        case 9 -> write();
        case 10 -> readSome();
        case 11 -> copy();
        case 12 -> fill();
        case 13, 14 -> someSteps();
        default -> seldom();
      }
    }

    void someSteps() {
      if (storage.queues() == 0) return;
      for (int i = random.nextInt(6); i > 0; i--) storage.step(random.nextInt(storage.queues()));
    }

    void seldom() {
      switch (random.nextInt(4)) {
        case 0 -> device.cleanUp();
        case 1 -> storage.finish();
        case 2 ->
            stream()
                .tryInstall(
                    Layout.of(PoolSpec.sliced(1 << (11 + random.nextInt(4))), PoolSpec.direct()));
        default -> stream().sync();
      }
    }

    DeviceStream<MemorySegment> stream() {
      return device.stream(random.nextInt(STREAMS));
    }

    Held any() {
      return held.get(random.nextInt(held.size()));
    }

    void allocate() {
      if (held.size() > 24) close();
      int size = 32 * (1 + random.nextInt(64));
      DeviceStream<MemorySegment> stream = stream();
      boolean refuse = random.nextInt(12) == 0;
      Buffer buffer;
      try (InjectedRefusals _ = stream.injectRefusals(0, refuse ? 1 : 0)) {
        buffer = stream.allocateDeferred(size);
      }
      held.add(new Held(buffer, new Model(size, !refuse)));
    }

    void close() {
      if (!held.isEmpty()) held.remove(random.nextInt(held.size())).buffer.close();
    }

    void view() {
      if (held.isEmpty()) return;
      Held from = any();
      long front = random.nextBoolean() ? 0 : random.nextLong(from.buffer.length() + 1);
      long back = random.nextBoolean() ? 0 : random.nextLong(from.buffer.length() - front + 1);
      held.add(new Held(from.buffer.view(front, back), from.model));
    }

    void launch() {
      if (held.isEmpty()) return;
      List<Held> reads = some(3);
      List<Held> writes = some(2);
      boolean skipped =
          reads.stream().anyMatch(Held::isStale)
              || reads.stream().anyMatch(read -> !read.model.allocated)
              || writes.stream().anyMatch(write -> !write.model.allocated);
      // A claim on nothing is none: an empty window of memory that exists is never stale.
      Launch launch = Launch.named("work").reads(buffers(reads)).writes(buffers(writes));
      int luck = random.nextInt(8);
      byte salt = (byte) random.nextInt();
      LaunchOutcome outcome = null;
      try {
        outcome =
            stream()
                .launch(
                    launch,
                    scope -> {
                      if (luck == 0) scope.fail(new WorkFailure.Generic("bad luck"));
                      if (luck == 1) throw new ArithmeticException("worse luck");
                      if (luck < 2) return;
                      List<MemorySegment> in =
                          reads.stream().map(h -> scope.resource(h.buffer)).toList();
                      List<MemorySegment> out =
                          writes.stream().map(h -> scope.resource(h.buffer)).toList();
                      scope.queue().run(() -> mix(in, out, salt));
                    });
        check(luck != 1 || skipped, "the exception went through");
      } catch (ArithmeticException e) {
        check(!skipped, "skipped work was run");
      }
      if (skipped || luck < 2) {
        if (skipped)
          check(outcome instanceof LaunchOutcome.Skipped, "work was not skipped: " + outcome);
        writes.stream().filter(write -> write.model.allocated).forEach(Held::makeStale);
        return;
      }
      check(outcome instanceof LaunchOutcome.Executed, "work did not run: " + outcome);
      List<byte[]> in = reads.stream().map(Held::values).toList();
      List<boolean[]> known = reads.stream().map(Held::known).toList();
      for (Held write : writes) {
        int length = write.to() - write.from();
        byte[] value = new byte[length];
        boolean[] sure = new boolean[length];
        for (int i = 0; i < length; i++) {
          value[i] = (byte) (salt + i);
          sure[i] = true;
          for (int k = 0; k < in.size(); k++) {
            if (in.get(k).length == 0) continue;
            value[i] += in.get(k)[i % in.get(k).length];
            sure[i] &= known.get(k)[i % in.get(k).length];
          }
        }
        write.write(0, value, sure);
      }
    }

    static void mix(List<MemorySegment> in, List<MemorySegment> out, byte salt) {
      List<byte[]> inputs = in.stream().map(s -> s.toArray(ValueLayout.JAVA_BYTE)).toList();
      for (MemorySegment target : out) {
        for (int i = 0; i < target.byteSize(); i++) {
          byte value = (byte) (salt + i);
          for (byte[] input : inputs) if (input.length > 0) value += input[i % input.length];
          target.set(ValueLayout.JAVA_BYTE, i, value);
        }
      }
    }

    List<Held> some(int most) {
      List<Held> some = new ArrayList<>();
      for (int i = random.nextInt(most + 1); i > 0; i--) some.add(any());
      return some;
    }

    static Buffer[] buffers(List<Held> some) {
      return some.stream().map(Held::buffer).toArray(Buffer[]::new);
    }

    void write() {
      if (held.isEmpty()) return;
      Held target = any();
      int length =
          random.nextBoolean()
              ? (int) target.buffer.length()
              : random.nextInt((int) target.buffer.length() + 1);
      int at = random.nextInt((int) target.buffer.length() - length + 1);
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      try {
        stream().write(target.buffer, at, MemorySegment.ofArray(bytes));
      } catch (WorkException e) {
        check(!target.model.allocated, "a write was refused: " + e.getMessage());
        return;
      }
      check(target.model.allocated || length == 0, "a write into no memory went through");
      boolean[] known = new boolean[length];
      Arrays.fill(known, true);
      if (length > 0) target.write(at, bytes, known);
    }

    void fill() {
      if (held.isEmpty()) return;
      Held target = any();
      byte value = (byte) random.nextInt();
      LaunchOutcome outcome = stream().fill(target.buffer, value);
      if (!target.model.allocated) {
        check(outcome instanceof LaunchOutcome.Skipped, "a fill of no memory: " + outcome);
        return;
      }
      byte[] bytes = new byte[(int) target.buffer.length()];
      Arrays.fill(bytes, value);
      boolean[] known = new boolean[bytes.length];
      Arrays.fill(known, true);
      target.write(0, bytes, known);
    }

    /// Between windows of one length; they may not overlap, since the device's copy then says
    /// nothing.
    void copy() {
      if (held.size() < 2) return;
      Held from = any();
      Held to = any();
      if (from.model == to.model) return;
      long length = Math.min(from.buffer.length(), to.buffer.length());
      try (Buffer source = from.buffer.view(0, from.buffer.length() - length);
          Buffer target = to.buffer.view(0, to.buffer.length() - length)) {
        Held in = new Held(source, from.model);
        Held out = new Held(target, to.model);
        LaunchOutcome outcome = stream().copy(source, target);
        if (in.isStale() || !to.model.allocated) {
          check(outcome instanceof LaunchOutcome.Skipped, "a stale copy: " + outcome);
          if (to.model.allocated) out.makeStale();
        } else {
          check(outcome instanceof LaunchOutcome.Executed, "a copy: " + outcome);
          out.write(0, in.values(), in.known());
        }
      }
    }

    void readSome() {
      if (!held.isEmpty()) readAndCompare(any());
    }

    void readAndCompare(Held from) {
      byte[] bytes = new byte[(int) from.buffer.length()];
      try {
        stream().read(from.buffer, MemorySegment.ofArray(bytes));
        check(!from.isStale(), "stale bytes were read");
      } catch (WorkException e) {
        check(from.isStale(), "fresh bytes were refused: " + e.getMessage());
        return;
      } catch (MemoryException e) {
        throw new AssertionError("seed " + seed, e);
      }
      byte[] expected = from.values();
      boolean[] known = from.known();
      for (int i = 0; i < bytes.length; i++)
        check(!known[i] || bytes[i] == expected[i], "byte " + i + " of " + from.buffer);
    }

    void check(boolean holds, String what) {
      if (!holds) throw new AssertionError(what + " (seed " + seed + ")");
    }
  }
}
