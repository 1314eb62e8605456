package dev.quarry.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.Placement;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.failure.MemoryFailure.OutOfMemory;
import dev.quarry.failure.MemoryFailure.PoolCapacityExceeded;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.Preset;
import dev.quarry.replay.ReplayResult.Checksums;
import dev.quarry.replay.ReplayResult.Refusal;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// All figures are worked out by hand, for offsets in steps of 32 bytes unless a test says
/// otherwise.
class ReplayTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(1 << 20, 32);
  private static final Layout PAGES = Layout.parse("sliced:page=4096");
  private static final long GIB = 1L << 30;

  private final Script script = new Script();

  private ReplayResult replay(Layout layout) {
    return Replay.of(script.trace(), layout, DEVICE);
  }

  private ReplayResult replay(String layout) {
    return replay(Layout.parse(layout));
  }

  @Test
  void theFiguresOfAnArenaAreThoseWorkedOutByHand() {
    int first = script.take(1000);
    script.take(2000);
    script.free(first).take(500);

    ReplayResult result = replay(PAGES);

    assertThat(result.events()).isEqualTo(4);
    assertThat(result.allocations()).isEqualTo(3);
    assertThat(result.load()).isEqualTo(3000);
    assertThat(result.reservedPeak()).isEqualTo(4096);
    assertThat(result.overLoad()).isCloseTo(0.36533, within(1e-5));
    assertThat(result.paddingAtPeak()).isEqualTo(24); // 1000 takes 1024, which brought the page
    assertThat(result.firstPageEnd()).isEqualTo(3024); // 2000 at 1024; the 500 went to 0
    assertThat(result.spills()).isZero();
    assertThat(result.refusals()).isZero();
    assertThat(result.firstRefusal()).isEmpty();
    assertThat(result.checksums()).isEmpty();
  }

  @Test
  void theReportShowsWhatWasNeverFreed() {
    int freed = script.take(100);
    script.take(300);
    script.free(freed);

    ReplayResult result = replay(PAGES);

    assertThat(result.report().usage().allocations()).isEqualTo(1);
    assertThat(result.report().usage().bytesInUse()).isEqualTo(300);
    assertThat(result.report().usage().bytesPadding()).isEqualTo(20);
    assertThat(result.report().pools().getFirst().pagesPeak()).isEqualTo(1);
  }

  @Test
  void paddingIsTakenWhenTheReservedPeakIsFirstReached() {
    int first = script.take(10); // pads 22 in its page of 32
    int second = script.take(40); // pads 24 in its page of 64: the peak, 46 in all
    script.free(first).free(second).take(1); // served from the page of 32, padding 31

    ReplayResult result = replay("direct");

    assertThat(result.reservedPeak()).isEqualTo(96);
    assertThat(result.paddingAtPeak()).isEqualTo(46);
  }

  @Test
  void nothingAtAllReplaysToNothing() {
    ReplayResult result = replay(PAGES);

    assertThat(result.events()).isZero();
    assertThat(result.load()).isZero();
    assertThat(result.reservedPeak()).isZero();
    assertThat(result.overLoad()).isZero();
  }

  @Test
  void emptyAllocationsAreAllocations() {
    script.free(script.take(0)).take(0);

    ReplayResult result = replay(PAGES);

    assertThat(result.allocations()).isEqualTo(2);
    assertThat(result.load()).isZero();
    assertThat(result.reservedPeak()).isEqualTo(4096);
    assertThat(result.overLoad()).isZero();
    assertThat(result.report().usage().allocations()).isEqualTo(1);
  }

  @Test
  void whatAFullPoolPassesOnIsASpillAndNoRefusal() {
    script.take(1024);
    script.take(1024);
    script.take(512);

    ReplayResult result = replay("sliced:page=1024,cap=1024;direct");

    assertThat(result.spills()).isEqualTo(2);
    assertThat(result.refusals()).isZero();
    assertThat(result.reservedPeak()).isEqualTo(1024 + 1024 + 512);
    assertThat(result.report().pools().get(1).pages()).isEqualTo(2);
  }

  @Test
  void aRefusalIsCountedAndItsFreePassedOver() {
    int first = script.take(1024);
    script.take(1024);
    int tooMany = script.take(1024); // the pool holds two
    script.free(tooMany).free(first);
    script.take(1024); // there is room again
    script.take(1024); // and again there is not

    ReplayResult result = replay("sliced:page=1024,cap=2048");

    assertThat(result.refusals()).isEqualTo(2);
    assertThat(result.firstRefusal())
        .contains(new Refusal(3, "2", 1024, new PoolCapacityExceeded(1024, 2048, 2048)));
    assertThat(result.allocations()).isEqualTo(5);
    assertThat(result.reservedPeak()).isEqualTo(2048);
    assertThat(result.report().usage().allocations()).isEqualTo(2);
  }

  @Test
  void loadCountsWhatWasAskedForEvenWhenItWasRefused() {
    script.take(1024);
    script.free(script.take(1024)).take(100);

    assertThat(replay("sliced:page=1024,cap=1024").load()).isEqualTo(2048);
  }

  @Test
  void aRefusalNamesTheTagWhereThereIsOne() {
    script.take(64);
    script.take(5000, 1, "the weights");

    Refusal refusal = replay(PAGES).firstRefusal().orElseThrow();

    assertThat(refusal).isEqualTo(new Refusal(2, "the weights", 5000, new BufferTooBig(5000)));
    assertThat(refusal.message())
        .isEqualTo(
            "event 2: allocation the weights: a buffer of 5000 bytes can never fit: no pool of the"
                + " layout, or not the device, takes that size");
  }

  @Test
  void onlyACompletedFreeEndsALifetime() {
    int first = script.take(4096);
    script.askToFree(first);
    script.take(4096);
    script.free(first);
    script.take(4096);

    ReplayResult result = replay(PAGES);

    assertThat(result.load()).isEqualTo(8192);
    assertThat(result.reservedPeak()).isEqualTo(8192);
    assertThat(result.events()).isEqualTo(5);
  }

  @Test
  void marksAndRecordedFailuresChangeNothing() {
    script.mark("step 1").take(1000);
    script.refused(GIB).take(1000);

    ReplayResult result = replay(PAGES);

    assertThat(result.events()).isEqualTo(4);
    assertThat(result.allocations()).isEqualTo(2);
    assertThat(result.refusals()).isZero();
    assertThat(result.load()).isEqualTo(2000);
  }

  @Test
  void workOfFiveHundredGibibytesReplays() {
    for (int i = 0; i < 250; i++) script.take(2 * GIB);
    for (int i = 0; i < 250; i += 2) script.free(i);
    for (int i = 0; i < 250; i += 2) script.take(GIB + 1);

    ReplayResult arena = replay(Layout.of(PoolSpec.sliced(500 * GIB)));
    ReplayResult single = replay("direct");

    assertThat(arena.load()).isEqualTo(500 * GIB);
    assertThat(arena.reservedPeak()).isEqualTo(500 * GIB);
    assertThat(single.reservedPeak()).isEqualTo(500 * GIB + 125 * (GIB + 32));
  }

  @Test
  void theLargestSizeThatATraceCanCarryReplays() {
    script.take(TraceEvent.MAX_SIZE);
    script.take(TraceEvent.MAX_SIZE);

    ReplayResult result = replay(Layout.of(PoolSpec.sliced(2 * TraceEvent.MAX_SIZE)));

    assertThat(result.reservedPeak()).isEqualTo(2 * TraceEvent.MAX_SIZE);
    assertThat(result.refusals()).isZero();
  }

  @Test
  void liveSizesBeyond64BitsAreRefused() {
    for (int i = 0; i < 8; i++) script.take(TraceEvent.MAX_SIZE);

    assertThatThrownBy(() -> replay("direct"))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("live sizes beyond 64 bits at event 8")
        .hasMessageContaining(String.valueOf(Long.MAX_VALUE));
  }

  @Test
  void pagesBeyond64BitsAreARefusalAndNoWrongFigure() {
    for (int i = 0; i < 9; i++) script.free(script.take(TraceEvent.MAX_SIZE - 32 * i));

    ReplayResult result = replay("direct"); // every size needs a page of its own, and keeps it

    assertThat(result.load()).isEqualTo(TraceEvent.MAX_SIZE);
    assertThat(result.reservedPeak()).isBetween(7 * TraceEvent.MAX_SIZE, Long.MAX_VALUE);
    assertThat(result.firstRefusal().orElseThrow().failure()).isInstanceOf(OutOfMemory.class);
  }

  @Test
  void anAlignmentThatTheDeviceCanNotGiveIsRefused() {
    script.take(64, 32, null);
    script.take(64, 16, null);
    script.take(64, 48, "odd");

    assertThatThrownBy(() -> replay(PAGES))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("allocation odd with an alignment of 48")
        .hasMessageContaining("alignments that divide the device's 32");
  }

  @Test
  void alignmentsThatDivideTheDevicesAreServed() {
    for (long alignment : new long[] {1, 2, 4, 8, 16, 32}) script.take(33, alignment, null);

    assertThat(replay(PAGES).refusals()).isZero();
  }

  @Test
  void aLayoutThatDoesNotResolveIsRefused() {
    assertThatThrownBy(() -> replay("sliced:page=4096,cap=4095"))
        .isInstanceOf(LayoutException.class);
  }

  /// Period 10 looks every 2 reservations. The page of the first request has count 4 from birth, so
  /// the look at the second request finds it free for the fifth time.
  @Test
  void unusedExclusivePagesLeaveWhileTheTraceRuns() {
    script.free(script.take(512)).take(1000);

    assertThat(replay("exclusive:max=1024,period=10").reservedPeak()).isEqualTo(1024);
    assertThat(replay("exclusive:max=1024").reservedPeak()).isEqualTo(512 + 1024);
  }

  @Test
  void agingGoesOnAtARefusedRequest() {
    script.free(script.take(512)).take(5000);
    script.take(1000);

    ReplayResult result = replay("exclusive:max=1024,period=10");

    assertThat(result.refusals()).isEqualTo(1);
    assertThat(result.reservedPeak()).isEqualTo(1024);
  }

  @Test
  void aDirectPoolGivesBackBeforeItGrowsAboveItsMark() {
    script.free(script.take(512)).take(768); // 512 and 768 are more than 1024 together

    assertThat(replay("direct:reclaim=1024").reservedPeak()).isEqualTo(768);
    assertThat(replay("direct:reclaim=1280").reservedPeak()).isEqualTo(1280);
    assertThat(replay("direct").reservedPeak()).isEqualTo(1280);
  }

  @Test
  void thePresetsReplay() {
    for (int i = 0; i < 100; i++) script.take(10_000L * i);

    for (Preset preset : Preset.values()) {
      ReplayResult result = replay(preset);
      assertThat(result.refusals()).isZero();
      assertThat(result.reservedPeak()).isGreaterThanOrEqualTo(result.load());
    }
  }

  @Test
  void aReplayWithChecksumsShowsTheSameFigures() {
    for (int i = 0; i < 50; i++) {
      int id = script.take(100L * i);
      if (i % 3 == 0) script.free(id);
    }

    ReplayResult plain = replay(PAGES);
    ReplayResult summed =
        Replay.of(script.trace(), PAGES, DEVICE, ReplayOptions.DEFAULT.checksums(true));

    assertThat(summed.reservedPeak()).isEqualTo(plain.reservedPeak());
    assertThat(summed.load()).isEqualTo(plain.load());
    assertThat(summed.paddingAtPeak()).isEqualTo(plain.paddingAtPeak());
    assertThat(summed.firstPageEnd()).isEqualTo(plain.firstPageEnd());
    assertThat(plain.checksums()).isEmpty();
    assertThat(summed.checksums()).isPresent();
  }

  /// Why: whoever compares two programs by their checksums compares a replay with a run.
  @Test
  void theChecksumsAreThoseOfADirectRun() {
    Layout layout = Layout.parse("sliced:page=1024,cap=4096;exclusive:max=2048,period=10;direct");
    List<Long> words = new ArrayList<>();
    List<Long> storageWords = new ArrayList<>();
    try (DeviceMemory<Region> memory =
        DeviceMemory.on(new CountingStorage(), DEVICE).layout(layout).open()) {
      List<Handle> held = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        long size = (i * 7919L) % 3000;
        script.take(size);
        Handle handle = memory.reserve(size);
        held.add(handle);
        Placement placement = memory.placement(handle);
        words.addAll(List.of((long) placement.pool(), (long) placement.page(), placement.offset()));
        Region region = memory.locate(handle);
        storageWords.addAll(List.of(region.id().value(), region.offset()));
        if (i % 3 == 2) {
          script.free(i - 1);
          held.get(i - 1).close();
        }
      }
      held.forEach(Handle::close);
    }

    Checksums sums =
        Replay.of(script.trace(), layout, DEVICE, ReplayOptions.DEFAULT.checksums(true))
            .checksums()
            .orElseThrow();

    assertThat(sums).isEqualTo(new Checksums(fnv(words), fnv(storageWords)));
    assertThat(sums.toString()).matches("[0-9a-f]{16} [0-9a-f]{16}");
  }

  /// FNV-1a over words of 64 bits.
  private static long fnv(List<Long> words) {
    long hash = 0xcbf29ce484222325L;
    for (long word : words) {
      hash ^= word;
      hash *= 1099511628211L;
    }
    return hash;
  }

  @Test
  void runsThatPlaceDifferentlyHaveDifferentChecksums() {
    int first = script.take(64);
    script.take(64);
    Script other = new Script();
    other.free(other.take(64)).take(64);
    script.free(first);

    assertThat(
            Replay.of(script.trace(), PAGES, DEVICE, ReplayOptions.DEFAULT.checksums(true))
                .checksums())
        .isNotEqualTo(
            Replay.of(other.trace(), PAGES, DEVICE, ReplayOptions.DEFAULT.checksums(true))
                .checksums());
  }

  @Test
  void progressIsToldAsTheTraceIsRead() {
    for (int i = 0; i < 5000; i++) script.free(script.take(64));
    List<Long> positions = new ArrayList<>();

    Replay.of(script.trace(), PAGES, DEVICE, ReplayOptions.DEFAULT.progress(positions::add));

    assertThat(positions).isNotEmpty().isSorted();
    assertThat(positions.getLast()).isPositive().isLessThanOrEqualTo(10_000);
  }

  @Test
  void twoReplaysOfOneTraceAreAlike() {
    for (int i = 0; i < 300; i++) {
      int id = script.take((i * 7919L) % 5000);
      if (i % 2 == 0) script.free(id);
    }
    Layout layout = Layout.parse("sliced:page=2048,cap=8192;direct:reclaim=10000");

    ReplayResult first =
        Replay.of(script.trace(), layout, DEVICE, ReplayOptions.DEFAULT.checksums(true));
    ReplayResult second =
        Replay.of(script.trace(), layout, DEVICE, ReplayOptions.DEFAULT.checksums(true));

    assertThat(second).isEqualTo(first);
  }
}
