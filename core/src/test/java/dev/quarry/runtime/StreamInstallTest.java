package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.QuietLogger;
import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.SteppedStorage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class StreamInstallTest {
  private static final Layout SMALL = Layout.of(PoolSpec.sliced(1024));

  private final SteppedStorage storage = new SteppedStorage();
  private final Device<MemorySegment> device =
      Device.open(
          storage,
          DeviceMemory.HOST,
          DeviceOptions.DEFAULT
              .slots(4)
              .logger(new QuietLogger())
              .layout(Layout.of(PoolSpec.direct())));
  private final DeviceStream<MemorySegment> first = device.stream(0);
  private final DeviceStream<MemorySegment> second = device.stream(1);

  @Test
  void aMeasuredLayoutFitsTheSameWorkOnARunningDevice() {
    try (DryRun _ = DryRun.open()) {
      work(first);
    }
    assertThat(storage.bytesAllocated()).isZero();
    Layout measured = first.report().cappedLayout();
    first.install(measured);
    work(first);
    assertThat(first.report().pools().getFirst().pagesPeak()).isPositive();
  }

  private static void work(DeviceStream<MemorySegment> stream) {
    try (Buffer a = stream.allocate(1000);
        Buffer b = stream.allocate(2000)) {
      stream.fill(a, (byte) 1);
      stream.fill(b, (byte) 1);
    }
  }

  @Test
  void itBecomesTheLayoutOfThisStreamAndOfLaterOnesAlone() {
    first.install(SMALL);
    assertThat(first.report().pools()).hasSize(1);
    assertThat(first.report().pools().getFirst().spec()).isInstanceOf(PoolSpec.Sliced.class);
    assertThat(second.report().pools().getFirst().spec()).isInstanceOf(PoolSpec.Direct.class);
    assertThat(device.stream(2).report().pools().getFirst().spec())
        .isInstanceOf(PoolSpec.Sliced.class);
  }

  @Test
  void liveBuffersRefuseItWithTheirBytesAndLaterStreamsHaveItAllTheSame() {
    try (Buffer _ = first.allocate(100);
        Buffer _ = first.allocate(0)) {
      assertThat(first.tryInstall(SMALL)).contains(new InstallRefusal.PoolsInUse(100));
      assertThat(first.report().pools().getFirst().spec()).isInstanceOf(PoolSpec.Direct.class);
      assertThat(device.stream(3).report().pools().getFirst().spec())
          .isInstanceOf(PoolSpec.Sliced.class);
    }
    assertThat(first.tryInstall(SMALL)).isEmpty();
  }

  @Test
  void whatTheDeviceItselfHoldsIsDrainedFirst() {
    Buffer shared = first.allocate(64);
    try (Buffer copy = second.allocate(64);
        Arena arena = Arena.ofConfined()) {
      first.write(shared, arena.allocate(64));
      second.copy(shared, copy).orThrow();
      shared.close();
      assertThat(first.tryInstall(SMALL)).as("the pin was waited for").isEmpty();
    }
  }

  @Test
  void persistentMemoryStaysAndDoesNotBlock() {
    Buffer weights;
    try (StreamWindow _ = first.persistent()) {
      weights = first.allocate(128, "weights");
    }
    first.fill(weights, (byte) 7).orThrow();
    first.install(SMALL);
    byte[] bytes = new byte[1];
    first.read(weights, 127, MemorySegment.ofArray(bytes));
    assertThat(bytes[0]).isEqualTo((byte) 7);
    assertThat(first.report().persistent().usage().bytesInUse()).isEqualTo(128);
    weights.close();
  }

  @Test
  void aWindowClosesWhenItsTaskThrows() {
    assertThatThrownBy(
            () -> {
              try (StreamWindow _ = first.persistent()) {
                throw new ArithmeticException();
              }
            })
        .isInstanceOf(ArithmeticException.class);
    try (Buffer _ = first.allocate(64)) {
      assertThat(first.report().persistent().usage().allocations()).isZero();
    }
  }

  @Test
  void aCaptureRefusesIt() {
    try (StreamCapture<MemorySegment> _ = first.capture()) {
      assertThat(first.tryInstall(SMALL)).contains(new InstallRefusal.CaptureActive());
    }
    assertThat(first.tryInstall(SMALL)).isEmpty();
  }

  @Test
  void aStreamWhoseWorkEndedInAnErrorRefusesIt() {
    Buffer shared = first.allocate(64);
    try (Buffer copy = second.allocate(64)) {
      storage.fail(1, new WorkFailure.Generic("device lost"));
      second.copy(shared, copy).orThrow();
      shared.close();
      assertThat(first.tryInstall(SMALL)).contains(new InstallRefusal.StreamUnavailable());
      assertThat(first.tryInstall(SMALL)).as("the error was reported once").isEmpty();
    }
  }

  @Test
  void aLayoutThatDoesNotResolveLeavesTheDeviceUntouched() {
    assertThatThrownBy(() -> first.install(Layout.of(PoolSpec.sliced(0))))
        .isInstanceOf(LayoutException.class);
    assertThat(device.stream(2).report().pools().getFirst().spec())
        .isInstanceOf(PoolSpec.Direct.class);
  }

  @Test
  void aStorageThatCutsItsMemoryItselfHasNoLayouts() {
    try (Device<MemorySegment> fixed = Device.open(new FixedStorage(), DeviceMemory.HOST)) {
      assertThat(fixed.stream(0).tryInstall(SMALL)).contains(new InstallRefusal.Unsupported());
      assertThat(fixed.stream(1).report().pools()).hasSizeGreaterThan(1);
    }
  }

  /// Host memory that no layout is for.
  private static final class FixedStorage extends ForwardingStorage {
    FixedStorage() {
      super(new BytesStorage());
    }

    @Override
    public boolean hasConfigurablePools() {
      return false;
    }
  }
}
