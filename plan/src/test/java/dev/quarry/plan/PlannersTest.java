package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutError;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.plan.PlanCheck.Verdict.Fits;
import dev.quarry.replay.RandomWork;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayResult;
import dev.quarry.replay.Script;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// What planners do at the edges. Sizes are in steps of 32 bytes.
class PlannersTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(1 << 20, 32);

  private final Script script = new Script();

  private Plan measuredOn(String layout) {
    return new PeakPlanner(Layout.parse(layout)).plan(script.trace(), DEVICE);
  }

  private Plan found(DeviceProperties device) {
    Plan plan = new ArenaSearch().plan(script.trace(), device);
    assertThat(PlanCheck.check(script.trace(), plan))
        .isEqualTo(new Fits(true, plan.reserved(), plan.load()));
    return plan;
  }

  @Test
  void everyPoolThatCanBeIsCappedAtItsPeakAndUnusedOnesGo() {
    script.take(1000);
    script.take(100);
    script.take(5000);
    script.take(20_000);

    Plan plan = measuredOn("sliced:page=1024;sliced:page=2KiB;sliced:page=8KiB;direct");

    assertThat(plan.layout())
        .isEqualTo(
            Layout.parse(
                "sliced:page=1KiB,slice=1KiB,cap=2KiB;sliced:page=8KiB,slice=8KiB,cap=8KiB;direct"));
    assertThat(plan.reserved()).isEqualTo(2048 + 8192 + 20_000);
    assertThat(plan.load()).isEqualTo(26_100);
    assertThat(plan.gap()).isEqualTo(30_240 / 26_100.0 - 1);
    assertThat(plan.source().allocations()).isEqualTo(4);
    assertThat(plan.source().sha256()).isEqualTo(script.trace().sha256());
  }

  @Test
  void thePlanPredictsThePoolsAsAReplayLeavesThem() {
    script.free(script.take(1000)).take(700);

    Plan plan = measuredOn("sliced:page=1024");

    assertThat(plan.predicted())
        .isEqualTo(Replay.of(script.trace(), plan.layout(), DEVICE).report().pools());
  }

  @Test
  void aLayoutThatDoesNotResolveIsRefused() {
    script.take(1);

    assertThatThrownBy(() -> measuredOn("sliced:page=1024,cap=1000"))
        .isInstanceOf(LayoutException.class);
  }

  @Test
  void allocationsOfNoBytesArePlanned() {
    script.take(0);
    script.take(0);

    Plan plan = found(DEVICE);

    assertThat(plan.load()).isZero();
    assertThat(plan.gap()).isZero();
    assertThat(plan.reserved()).isZero();
  }

  @Test
  void oneAllocationIsPlannedWithoutAGap() {
    script.take(1024);

    assertThat(found(DEVICE).gap()).isZero();
  }

  /// More pages than a capped pool may hold can not be capped; the plan is made all the same.
  @Test
  void aPoolOfMorePagesThanACapAllowsIsPlanned() {
    for (int i = 0; i <= LayoutError.MAX_PAGES; i++) script.take(32);

    Plan plan = measuredOn("sliced:page=32");

    assertThat(plan.reserved()).isEqualTo(32L * (LayoutError.MAX_PAGES + 1));
    assertThat(plan.layout()).isEqualTo(Layout.parse("sliced:page=32,slice=32"));
  }

  /// Why: the search tries exclusive pages too, and a replay that looks at every page for every
  /// request would take minutes here.
  @Test
  void theSearchPlansWorkOfMorePagesThanACapAllows() {
    for (int i = 0; i <= LayoutError.MAX_PAGES; i++) script.take(32);

    Plan plan = new ArenaSearch().plan(script.trace(), new DeviceProperties(32, 32));

    assertThat(plan.reserved()).isEqualTo(32L * (LayoutError.MAX_PAGES + 1));
  }

  @Test
  void thePagesOfAnArenaStayBelowTheDevicesLargest() {
    // Two of these fill a page of 10016: half of all, rounded up, and more than the device has.
    for (int i = 0; i < 2; i++) {
      script.take(4992);
      script.take(5000);
    }

    Plan plan = found(new DeviceProperties(10_000, 32));

    assertThat(slicedPages(plan)).allMatch(page -> page <= 10_000);
  }

  @Test
  void aPageIsAsLargeAsTheLargestRequestEvenAboveTheDevicesLargest() {
    script.free(script.take(50_000)).take(20_000);

    Plan plan = found(new DeviceProperties(10_000, 32));

    assertThat(plan.load()).isEqualTo(50_000);
    assertThat(plan.reserved()).isEqualTo(50_016);
  }

  private static List<Long> slicedPages(Plan plan) {
    return ((Layout.Explicit) plan.layout())
        .pools().stream()
            .filter(PoolSpec.Sliced.class::isInstance)
            .map(pool -> ((PoolSpec.Sliced) pool).pageSize())
            .toList();
  }

  @Test
  void theSearchNarrowsAPageDownToWhatTheWorkNeeds() {
    // 3 and 2 blocks live in turn: two pages of 2 blocks hold them, one of 3 wastes none.
    for (int i = 0; i < 3; i++) script.take(960);
    script.freeAll();
    for (int i = 0; i < 2; i++) script.take(1440);

    Plan plan = found(DEVICE);

    assertThat(plan.reserved()).isEqualTo(2880);
    assertThat(slicedPages(plan)).containsExactly(2880L);
  }

  @Test
  void theSearchTellsWhatItTriesAndConfirms() {
    for (int i = 0; i < 5000; i++) script.free(script.take(100 + i % 7));
    Set<String> told = new TreeSet<>();

    new ArenaSearch((what, position) -> told.add(what)).plan(script.trace(), DEVICE);

    assertThat(told)
        .contains("confirming", "trying direct", "trying sub-slices", "trying exclusive-pages")
        .anyMatch(what -> what.startsWith("trying sliced:page="));
  }

  @Test
  void aMeasurementTellsItsProgressInBothReplays() {
    for (int i = 0; i < 5000; i++) script.free(script.take(100));
    List<Long> told = new ArrayList<>();

    new PeakPlanner(Layout.parse("direct"), told::add).plan(script.trace(), DEVICE);

    assertThat(told).hasSize(4); // after 4096 and 8192 of 10000 events, twice
  }

  @Test
  void workOfHundredsOfGibibytesIsPlanned() {
    for (int i = 0; i < 500; i++) script.take(1L << 30);

    Plan plan = found(new DeviceProperties(40L << 30, 512));

    assertThat(plan.load()).isEqualTo(500L << 30);
    assertThat(plan.gap()).isZero();
  }

  @Test
  void theLargestSizesThatATraceCanCarryArePlanned() {
    for (int i = 0; i < 7; i++) script.take(TraceEvent.MAX_SIZE);

    assertThat(found(DEVICE).reserved()).isEqualTo(7 * TraceEvent.MAX_SIZE);
  }

  @Test
  void liveSizesBeyond64BitsAreRefused() {
    for (int i = 0; i < 8; i++) script.take(TraceEvent.MAX_SIZE);

    for (Planner planner : List.of(new ArenaSearch(), new PeakPlanner(Layout.parse("direct")))) {
      assertThatThrownBy(() -> planner.plan(script.trace(), DEVICE))
          .isInstanceOf(TraceException.class)
          .hasMessageContaining("64 bits");
    }
  }

  /// Why: whoever installs a plan has nothing but its promise that the work fits.
  @Test
  void aPlanMeasuredOnRandomWorkConfirmsAndChecks() {
    int[] planned = {0};
    RandomWork.seeds(1000)
        .mapToObj(seed -> RandomWork.of(seed, 250))
        .forEach(
            work -> {
              Trace trace = work.trace();
              ReplayResult measured = Replay.of(trace, work.layout(), work.device());
              PeakPlanner planner = new PeakPlanner(work.layout());
              if (measured.refusals() > 0) {
                assertThatThrownBy(() -> planner.plan(trace, work.device()))
                    .as(work.toString())
                    .isInstanceOf(PlanException.class)
                    .hasMessageContaining(measured.firstRefusal().orElseThrow().message());
                return;
              }
              Plan plan = planner.plan(trace, work.device());
              assertThat(plan.reserved())
                  .as(work.toString())
                  .isEqualTo(measured.reservedPeak())
                  .isGreaterThanOrEqualTo(plan.load());
              assertThat(PlanCheck.check(trace, plan))
                  .as(work.toString())
                  .isEqualTo(new Fits(true, plan.reserved(), plan.load()));
              planned[0]++;
            });
    assertThat(planned[0]).isGreaterThan(300);
  }

  /// Why: the search promises a plan for all work whose requests some pool can serve, on any
  /// device.
  @Test
  void theSearchPlansAllRandomWork() {
    RandomWork.seeds(100)
        .mapToObj(seed -> RandomWork.of(seed, 250))
        .forEach(
            work -> {
              Plan plan = new ArenaSearch().plan(work.trace(), work.device());
              assertThat(PlanCheck.check(work.trace(), plan))
                  .as(work.toString())
                  .isEqualTo(new Fits(true, plan.reserved(), plan.load()));
              assertThat(new ArenaSearch().plan(work.trace(), work.device()))
                  .as(work.toString())
                  .isEqualTo(plan);
            });
  }
}
