package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DryRun;
import dev.quarry.QuietLogger;
import dev.quarry.failure.Exhausted;
import dev.quarry.failure.Holder;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.SteppedStorage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingSupplier;

/// What a device does before it refuses, and how it says no.
class OutOfMemoryTest {
  private static final DeviceProperties PROPERTIES = new DeviceProperties(1 << 16, 32);

  private final SteppedStorage storage = new SteppedStorage(4096);
  private final QuietLogger logger = new QuietLogger();
  private final Device<MemorySegment> device =
      Device.open(
          storage,
          PROPERTIES,
          DeviceOptions.DEFAULT.slots(4).logger(logger).layout(Layout.of(PoolSpec.direct())));
  private final DeviceStream<MemorySegment> first = device.stream(0);
  private final DeviceStream<MemorySegment> second = device.stream(1);

  private static Exhausted exhausted(ThrowingSupplier<?> allocation) {
    try {
      allocation.get();
      throw new AssertionError("there was room");
    } catch (MemoryException e) {
      return (Exhausted) e.failure();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theFirstStageReclaimsTheStreamThatAsks() {
    first.allocate(3072).close();
    second.allocate(512).close();
    try (Buffer other = first.allocate(2048)) {
      assertThat(other.isAllocated()).isTrue();
      assertThat(second.report().usage().bytesReserved()).as("untouched").isEqualTo(512);
    }
  }

  @Test
  void theSecondStageReclaimsEveryStream() {
    first.allocate(3072).close();
    try (Buffer other = second.allocate(2048)) {
      assertThat(other.isAllocated()).isTrue();
      assertThat(first.report().usage().bytesReserved()).isZero();
    }
  }

  @Test
  void theThirdStageWaitsForWorkThatKeepsMemoryPinned() {
    Buffer shared = first.allocate(2048);
    try (Buffer copy = second.allocate(1024);
        Buffer half = shared.view(0, 1024)) {
      second.copy(half, copy).orThrow();
    }
    shared.close();
    try (Buffer next = first.allocate(3072)) {
      assertThat(next.isAllocated()).isTrue();
      assertThat(storage.pending(1)).as("the copy was waited for").isZero();
    }
  }

  @Test
  void whatCanNeverFitIsRefusedAtOnce() {
    first.allocate(1024).close();
    assertThatThrownBy(() -> first.allocate(5000))
        .extracting(e -> ((MemoryException) e).failure())
        .isEqualTo(new MemoryFailure.BufferTooBig(5024));
    assertThat(first.report().usage().bytesReserved()).as("nothing was reclaimed").isEqualTo(1024);
  }

  @Test
  void theErrorTellsTheFiguresTheHoldersAndWhatWouldHelp() {
    try (Buffer _ = first.allocate(1000, "weights");
        Buffer _ = first.allocate(1000, "weights");
        Buffer _ = first.allocate(500, "cache");
        Buffer _ = second.allocate(1000)) {
      Exhausted failure = exhausted(() -> first.allocate(2000));
      assertThat(failure.size()).isEqualTo(2000);
      assertThat(failure.inUse()).isEqualTo(2500);
      assertThat(failure.padding()).isEqualTo(24 + 24 + 12);
      assertThat(failure.reserved()).isEqualTo(2560);
      assertThat(failure.reservedElsewhere()).isEqualTo(1024);
      assertThat(failure.holders())
          .containsExactly(new Holder("weights", 2, 2000), new Holder("cache", 1, 500));
      assertThat(failure.last()).isEqualTo(new MemoryFailure.OutOfMemory(2016));
      assertThat(failure.retryable()).isTrue();
      assertThat(failure.message())
          .contains("stream 0 has no room for 2000 bytes: 2500 in use")
          .contains("held by weights: 2000 in 2")
          .contains("what would help: close buffers, first those labelled weights");
    }
  }

  @Test
  void aFullCappedPoolNamesItsCapAndByHowMuchItIsShort() {
    first.install(Layout.of(PoolSpec.sliced(1024, 2048)));
    try (Buffer _ = first.allocate(1024);
        Buffer _ = first.allocate(512)) {
      Exhausted failure = exhausted(() -> first.allocate(1024));
      assertThat(failure.cap()).hasValue(2048);
      assertThat(failure.largestFree()).isEqualTo(512);
      assertThat(failure.last())
          .isEqualTo(new MemoryFailure.PoolCapacityExceeded(1024, 2048, 1536));
      assertThat(failure.help()).contains("the cap of 2048 bytes is short by 512");
    }
  }

  @Test
  void roomInPiecesIsToldFromNoRoom() {
    first.install(Layout.of(PoolSpec.sliced(2048, 2048)));
    List<Buffer> pieces = new ArrayList<>();
    for (int i = 0; i < 4; i++) pieces.add(first.allocate(512));
    pieces.get(0).close();
    pieces.get(2).close();
    assertThat(exhausted(() -> first.allocate(1024)).help())
        .contains("1024 bytes are free but in extents too short");
    pieces.forEach(Buffer::close);
  }

  @Test
  void aDeferredFailureReachesEveryUseOfItsBuffer() {
    try (Buffer all = first.allocate(4096);
        Buffer none = first.allocateDeferred(1024, "scores");
        Buffer view = none.view(0, 512);
        Buffer out = all.view(0, 4000)) {
      assertThat(none.isAllocated()).isFalse();
      assertThat(first.fill(none, (byte) 1)).isInstanceOf(LaunchOutcome.Skipped.class);
      assertThat(first.launch(Launch.named("use").reads(view).writes(out), scope -> scope.queue()))
          .isInstanceOf(LaunchOutcome.Skipped.class);
      byte[] bytes = new byte[8];
      for (Buffer claimed : List.of(none, view, out)) {
        assertThatThrownBy(() -> first.read(claimed, MemorySegment.ofArray(bytes)))
            .isInstanceOf(WorkException.class)
            .hasMessageContaining("has no room for 1024 bytes");
      }
      assertThatThrownBy(() -> first.write(none, MemorySegment.ofArray(bytes)))
          .isInstanceOf(WorkException.class)
          .hasMessageContaining("has no room for 1024 bytes");
      assertThatThrownBy(() -> device.check(none, view, out))
          .isInstanceOf(WorkException.class)
          .hasMessageContaining("#")
          .satisfies(e -> assertThat(e.getMessage().split("what would help", -1)).hasSize(2));
    }
    device.cleanUp();
    assertThat(device.errors().isEmpty()).isTrue();
  }

  @Test
  void aDeferredFailureEndsWithTheLastBufferOfIt() {
    try (Buffer all = first.allocate(4096)) {
      Buffer none = first.allocateDeferred(1024);
      Buffer again = none.duplicate();
      none.close();
      none.close();
      device.usage();
      assertThat(device.errors().size()).isEqualTo(1);
      again.close();
      device.usage();
      assertThat(device.errors().isEmpty()).isTrue();
      assertThat(all.canMut()).isTrue();
    }
  }

  @Test
  void mappingReclaimsToo() {
    first.allocate(3072).close();
    try (DryRun dry = DryRun.open();
        Buffer lazy = second.allocate(2048)) {
      dry.close();
      second.fill(lazy, (byte) 1).orThrow();
      second.sync(lazy);
    }
  }

  @Test
  void injectedRefusalsSkipThenCountAndEnd() {
    try (InjectedRefusals refusals = first.injectRefusals(1, 2)) {
      first.allocate(8).close();
      assertThatThrownBy(() -> first.allocate(8)).isInstanceOf(MemoryException.class);
      second.allocate(8).close();
      assertThat(refusals.left()).isEqualTo(1);
      assertThatThrownBy(() -> first.allocate(8)).isInstanceOf(MemoryException.class);
      first.allocate(8).close();
      assertThat(refusals.left()).isZero();
    }
    try (InjectedRefusals unused = device.injectRefusals(0, 5)) {
      assertThat(unused.left()).isEqualTo(5);
    }
    first.allocate(8).close();
  }
}
