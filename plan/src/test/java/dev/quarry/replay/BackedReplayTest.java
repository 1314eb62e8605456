package dev.quarry.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.OutOfMemory;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.replay.ReplayResult.Backed;
import dev.quarry.storage.BytesStorage;
import org.junit.jupiter.api.Test;

/// Replays with memory behind the pools.
class BackedReplayTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(1 << 20, 64);
  private static final Layout PAGES = Layout.parse("sliced:page=4096");
  private static final ReplayOptions TOUCHING = ReplayOptions.DEFAULT.touch(true);

  private final Script script = new Script();

  @Test
  void theStorageHoldsWhatThePoolsReserveAndPagesAreTouchedOnce() {
    int first = script.take(4000);
    script.take(4000);
    script.free(first).take(3000);

    BytesStorage storage = new BytesStorage();
    ReplayResult result = Replay.on(storage, script.trace(), PAGES, DEVICE, TOUCHING);

    assertThat(result.backed()).contains(new Backed(8192, 2));
    assertThat(result.reservedPeak()).isEqualTo(8192);
    assertThat(result.refusals()).isZero();
    assertThat(storage.bytesAllocated()).as("the storage was closed").isZero();
    assertThatThrownBy(() -> storage.allocate(1)).isInstanceOf(MemoryException.class);
  }

  @Test
  void withoutTouchingPagesAreAllocatedAllTheSame() {
    script.take(4000);
    assertThat(
            Replay.on(new BytesStorage(), script.trace(), PAGES, DEVICE, ReplayOptions.DEFAULT)
                .backed())
        .contains(new Backed(4096, 0));
    assertThat(Replay.of(script.trace(), PAGES, DEVICE).backed()).isEmpty();
  }

  @Test
  void whatTheDeviceHasNoRoomForIsRefusedAndTheReplayGoesOn() {
    script.take(4000);
    script.take(4001);
    int third = script.take(4002);
    script.free(third).take(50);

    ReplayResult result =
        Replay.on(new BytesStorage(8192), script.trace(), PAGES, DEVICE, TOUCHING);

    assertThat(result.refusals()).isEqualTo(1);
    assertThat(result.firstRefusal().orElseThrow().size()).isEqualTo(4002);
    assertThat(result.firstRefusal().orElseThrow().failure()).isInstanceOf(OutOfMemory.class);
    assertThat(result.backed()).contains(new Backed(8192, 2));
  }

  @Test
  void aPageThatCanNotBeTouchedIsARefusal() {
    script.take(4000);
    ReplayResult result =
        Replay.on(new UntouchableStorage(), script.trace(), PAGES, DEVICE, TOUCHING);
    assertThat(result.firstRefusal().orElseThrow().failure())
        .isInstanceOf(MemoryFailure.UnsupportedOperation.class);
  }

  @Test
  void theStorageIsClosedWhenTheLayoutDoesNotResolve() {
    script.take(1);
    BytesStorage storage = new BytesStorage();
    assertThatThrownBy(
            () ->
                Replay.on(
                    storage,
                    script.trace(),
                    Layout.parse("sliced:page=100,cap=50"),
                    DEVICE,
                    TOUCHING))
        .isInstanceOf(LayoutException.class);
    assertThatThrownBy(() -> storage.allocate(1)).isInstanceOf(MemoryException.class);
  }
}
