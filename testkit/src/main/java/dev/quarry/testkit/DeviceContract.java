package dev.quarry.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.DryRun;
import dev.quarry.failure.Exhausted;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.report.MemoryReport;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.runtime.LaunchOutcome;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a [Device] over any storage must do: the loop of dry run, report, install and real run, and
/// what happens when the device is full. Extend it beside [StorageContract] and [QueueContract].
///
/// @param <R> the storage's resource type
public abstract class DeviceContract<R> {
  private static final int MIB = 1 << 20;

  /// What a full device holds in these tests, in bytes.
  protected static final long CAPACITY = 32L << 20;

  /// Made by JUnit.
  protected DeviceContract() {}

  /// Makes a storage that holds at least, and if it can be limited at most, `capacity` bytes.
  ///
  /// @param capacity in bytes
  /// @return a storage that holds nothing yet
  protected abstract Storage<R> open(long capacity);

  /// Whether `capacity` is a limit, so that a full device can be tested.
  ///
  /// @return true unless overridden
  protected boolean canBeLimited() {
    return true;
  }

  private DeviceProperties properties(Storage<R> storage) {
    return new DeviceProperties(64L << 20, storage.alignment());
  }

  private Device<R> device(Storage<R> storage, String layout) {
    return Device.open(
        storage, properties(storage), DeviceOptions.DEFAULT.layout(Layout.parse(layout)));
  }

  private static byte[] bytes(DeviceStream<?> stream, Buffer buffer) {
    byte[] bytes = new byte[(int) buffer.length()];
    stream.read(buffer, MemorySegment.ofArray(bytes));
    return bytes;
  }

  /// Compares whole arrays, since assertions on each byte of megabytes take seconds.
  private static void assertAll(DeviceStream<?> stream, Buffer buffer, int value) {
    byte[] expected = new byte[(int) buffer.length()];
    Arrays.fill(expected, (byte) value);
    assertThat(Arrays.equals(bytes(stream, buffer), expected)).as("all are %d", value).isTrue();
  }

  /// Several steps of work that fills, copies and keeps buffers of odd sizes.
  private static List<byte[]> work(DeviceStream<?> stream, boolean real) {
    List<byte[]> results = new ArrayList<>();
    try (Buffer kept = stream.allocate(MIB + 1, "kept")) {
      stream.fill(kept, (byte) 1);
      for (int step = 0; step < 8; step++) {
        try (Buffer first = stream.allocate(300_000 + step, "first");
            Buffer second = stream.allocate(300_000 + step, "second");
            Buffer part = kept.view(1000L * step, MIB + 1 - 1000L * step - 300_000 - step)) {
          stream.fill(first, (byte) (10 + step));
          stream.copy(part, second);
          stream.copy(first, part);
          if (real) results.add(bytes(stream, second));
        }
      }
      if (real) results.add(bytes(stream, kept));
    }
    return results;
  }

  @Test
  void aMeasuredPlanHoldsTheWorkItWasMeasuredOn() {
    Storage<R> storage = open(CAPACITY);
    try (Device<R> device = device(storage, "sliced:page=1200KiB")) {
      DeviceStream<R> stream = device.stream(1);
      try (DryRun _ = DryRun.open()) {
        work(stream, false);
      }
      assertThat(storage.bytesAllocated()).as("a dry run maps nothing").isZero();
      MemoryReport measured = stream.report();
      stream.install(measured.cappedLayout());
      List<byte[]> results = work(stream, true);
      assertThat(stream.report().pools().getFirst().pagesPeak())
          .isEqualTo(measured.pools().getFirst().pagesPeak())
          .isEqualTo(2);
      assertThat(results.get(0)).containsOnly(1);
      for (int step = 1; step < 8; step++) {
        byte[] second = results.get(step);
        assertThat(second[0]).isEqualTo((byte) (9 + step));
        assertThat(second[second.length - 1]).isEqualTo((byte) 1);
      }
      byte[] kept = results.getLast();
      for (int step = 0; step < 8; step++)
        assertThat(kept[1000 * step]).isEqualTo((byte) (10 + step));
      assertThat(kept[7000 + 300_006]).isEqualTo((byte) 17);
      assertThat(kept[7000 + 300_007]).isEqualTo((byte) 1);
    }
    assertThat(storage.bytesAllocated()).isZero();
  }

  @Test
  void aDryRunReservesMoreThanAnyDeviceHasAndMapsNothing() {
    Storage<R> storage = open(CAPACITY);
    try (Device<R> device = device(storage, "sliced:page=64MiB;direct")) {
      DeviceStream<R> stream = device.stream(1);
      List<Buffer> held = new ArrayList<>();
      try (DryRun _ = DryRun.open()) {
        for (int i = 0; i < 1000; i++) held.add(stream.allocate(1L << 40));
        for (int i = 0; i < 1000; i++) held.add(stream.allocate(MIB));
        stream.copy(held.get(0), held.get(1));
      }
      assertThat(stream.report().usage().bytesReserved()).isGreaterThan(1000L << 40);
      assertThat(storage.bytesAllocated()).isZero();
      held.forEach(Buffer::close);
    }
  }

  @Test
  void memoryThatCanNotBeMappedIsAMappingFailureAndTheBooksBalance() {
    assumeTrue(canBeLimited(), "this storage can not be limited");
    Storage<R> storage = open(CAPACITY);
    try (Device<R> device = device(storage, "sliced:page=8MiB")) {
      DeviceStream<R> stream = device.stream(1);
      List<Buffer> held = new ArrayList<>();
      try (DryRun _ = DryRun.open()) {
        for (int i = 0; i < 6; i++) held.add(stream.allocate(8L * MIB));
      }
      for (int i = 0; i < 4; i++) stream.fill(held.get(i), (byte) i).orThrow();
      LaunchOutcome outcome = stream.fill(held.get(4), (byte) 4);
      assertThat(outcome)
          .isInstanceOfSatisfying(
              LaunchOutcome.Failed.class,
              failed ->
                  assertThat(failed.failure())
                      .isInstanceOfSatisfying(
                          WorkFailure.Memory.class,
                          memory ->
                              assertThat(memory.failure())
                                  .isInstanceOf(MemoryFailure.MappingFailed.class)));
      assertThat(storage.bytesAllocated()).isEqualTo(CAPACITY);
      for (int i = 0; i < 4; i++) assertAll(stream, held.get(i), i);
      held.removeFirst().close();
      device.cleanUp();
      assertThat(storage.bytesAllocated()).isEqualTo(CAPACITY - 8L * MIB);
      stream.fill(held.get(3), (byte) 4).orThrow();
      assertAll(stream, held.get(3), 4);
      held.forEach(Buffer::close);
      device.cleanUp();
      assertThat(device.usage().bytesReserved()).isZero();
      assertThat(storage.bytesAllocated()).isZero();
    }
  }

  @Test
  void aFullDeviceRefusesAndServesAgainOnceMemoryIsClosed() {
    assumeTrue(canBeLimited(), "this storage can not be limited");
    Storage<R> storage = open(CAPACITY);
    try (Device<R> device = device(storage, "sliced:page=8MiB")) {
      DeviceStream<R> first = device.stream(1);
      DeviceStream<R> second = device.stream(2);
      for (int round = 0; round < 3; round++) {
        List<Buffer> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          held.add(first.allocate(8L * MIB, "weights"));
          first.fill(held.get(i), (byte) i).orThrow();
        }
        assertThatThrownBy(() -> second.allocate(MIB))
            .isInstanceOfSatisfying(
                MemoryException.class, e -> assertThat(e.failure()).isInstanceOf(Exhausted.class))
            .hasMessageContaining("other streams hold " + CAPACITY);
        held.forEach(Buffer::close);
        try (Buffer served = second.allocate(8L * MIB)) {
          second.fill(served, (byte) 9).orThrow();
          assertAll(second, served, 9);
        }
      }
      device.cleanUp();
      assertThat(storage.bytesAllocated()).isZero();
    }
  }

  @Test
  void streamsHandMemoryOnInTheOrderOfTheirWork() {
    Storage<R> storage = open(CAPACITY);
    try (Device<R> device = device(storage, "sliced:page=8MiB")) {
      DeviceStream<R> producer = device.stream(1);
      DeviceStream<R> consumer = device.stream(2);
      try (Buffer shared = producer.allocate(MIB);
          Buffer copy = consumer.allocate(MIB)) {
        for (int i = 1; i <= 30; i++) {
          producer.fill(shared, (byte) i).orThrow();
          consumer.copy(shared, copy).orThrow();
          if (i % 3 == 0) assertAll(consumer, copy, i);
        }
      }
    }
  }
}
