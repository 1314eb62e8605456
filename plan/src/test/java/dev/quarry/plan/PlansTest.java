package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.plan.PlanCheck.Verdict;
import dev.quarry.replay.RandomWork;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayResult;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlansTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(2L << 30, 32);
  private static final int ROUNDS = 1_500;

  @Test
  void aMeasuredPlanFitsItsWorkOnEveryLayout() {
    long seed = System.nanoTime();
    System.out.println("measured plans: seed " + seed);
    int planned = 0;
    for (int round = 0; round < ROUNDS; round++) {
      RandomWork work = RandomWork.of(seed + round, 200);
      DeviceProperties device = work.device();
      Layout layout = work.layout();
      Trace trace = work.trace();
      ReplayResult measured = Replay.of(trace, layout, device);
      if (measured.refusals() > 0) continue;
      planned++;
      Plan plan = new PeakPlanner(layout).plan(trace, device);
      assertThat(plan.reserved())
          .as("seed %d: %s", seed + round, layout)
          .isEqualTo(measured.reservedPeak())
          .isGreaterThanOrEqualTo(plan.load());
      assertThat(PlanCheck.check(trace, plan))
          .as("seed %d: %s", seed + round, layout)
          .isEqualTo(new Verdict.Fits(true, plan.reserved(), plan.load()));
    }
    assertThat(planned).isGreaterThan(ROUNDS / 20);
  }

  @ParameterizedTest
  @CsvSource({"bert_large.csv, 0.012", "pangu_13B.csv, 0.04"})
  void theSearchComesCloseToLoadOnTheExampleTraces(String file, double most) {
    try (Trace trace = Trace.of(Path.of("..", "examples", "traces", file))) {
      Plan plan = new ArenaSearch().plan(trace, DEVICE);
      assertThat(plan.gap()).isBetween(0.0, most);
      assertThat(PlanCheck.check(trace, plan)).isInstanceOf(Verdict.Fits.class);
      assertThat(new ArenaSearch().plan(trace, DEVICE)).isEqualTo(plan);
      assertThat(plan.layout())
          .isInstanceOfSatisfying(
              Layout.Explicit.class,
              layout ->
                  assertThat(layout.pools())
                      .singleElement()
                      .isInstanceOfSatisfying(
                          PoolSpec.Sliced.class,
                          arena ->
                              assertThat(arena.pageSize())
                                  .isLessThanOrEqualTo(DEVICE.maxPageSize())));
    }
  }

  @Test
  void theSearchIsNeverWorseThanThePresetsAndTheDirectPool() {
    for (long seed = 1; seed <= 40; seed++) {
      RandomWork work = RandomWork.of(seed, 300);
      DeviceProperties device = work.device();
      Trace trace = work.trace();
      Plan found = new ArenaSearch().plan(trace, device);
      assertThat(PlanCheck.check(trace, found))
          .as("seed %d", seed)
          .isInstanceOf(Verdict.Fits.class);
      for (String other : new String[] {"sub-slices", "exclusive-pages", "direct"}) {
        if (device.exclusiveOnly() && other.equals("sub-slices")) continue;
        ReplayResult result = Replay.of(trace, Layout.parse(other), device);
        if (result.refusals() == 0)
          assertThat(found.reserved())
              .as("seed %d, %s", seed, other)
              .isLessThanOrEqualTo(result.reservedPeak());
      }
    }
  }

  @Test
  void anExclusiveOnlyDeviceGetsNoArena() {
    Plan plan = new ArenaSearch().plan(twoThenOne(), new DeviceProperties(1 << 20, 32, true));
    assertThat(plan.layout().text()).doesNotContain("sliced");
    assertThat(PlanCheck.check(twoThenOne(), plan)).isInstanceOf(Verdict.Fits.class);
  }

  /// 600 and 600 bytes at once, then 900 where the first was.
  private static Trace twoThenOne() {
    return Trace.of(
        List.of(
            new Allocate(0, 600),
            new Allocate(1, 600),
            new Free(0, 600),
            new Allocate(2, 900),
            new Free(1, 600),
            new Free(2, 900)));
  }

  @Test
  void workThatCanNotBePlannedSaysWhy() {
    assertThatThrownBy(
            () -> new PeakPlanner(Layout.parse("sliced:page=512")).plan(twoThenOne(), DEVICE))
        .isInstanceOfSatisfying(PlanException.class, e -> assertThat(e.isAboutTheWork()).isTrue())
        .hasMessageContaining("event 1: allocation 0")
        .hasMessageContaining("600 bytes");
    for (Planner planner : List.of(new ArenaSearch(), new PeakPlanner(Layout.parse("direct")))) {
      assertThatThrownBy(() -> planner.plan(Trace.of(List.of(new TraceEvent.Mark("x", 0))), DEVICE))
          .isInstanceOf(PlanException.class)
          .hasMessageContaining("found no allocation");
    }
  }

  @Test
  void hugeWorkReplaysWithoutMemory() {
    List<TraceEvent> events = new ArrayList<>();
    for (long id = 0; id < 500; id++) events.add(new Allocate(id, 1L << 30));
    ReplayResult result = Replay.of(Trace.of(events), Layout.parse("sliced:page=8GiB"), DEVICE);
    assertThat(result.load()).isEqualTo(500L << 30);
    assertThat(result.reservedPeak()).isEqualTo(504L << 30);
    assertThat(result.report().pools().getFirst().pagesUnmapped()).isEqualTo(63);
  }

  @Test
  void aReplayCountsWhatHappened() {
    Trace trace =
        Trace.of(
            List.of(
                new Allocate(0, 1000),
                new Allocate(1, 1000),
                new TraceEvent.Failure(5, 0, 0, null),
                new Free(1, 1000, Free.Kind.ASKED, 0, 0),
                new Free(1, 1000),
                new Free(0, 1000),
                new Allocate(2, 10)));
    ReplayResult result =
        Replay.of(trace, Layout.parse("sliced:page=1024,cap=1024"), DEVICE, true, position -> {});
    assertThat(result.events()).isEqualTo(7);
    assertThat(result.allocations()).isEqualTo(3);
    assertThat(result.load()).isEqualTo(2000);
    assertThat(result.reservedPeak()).isEqualTo(1024);
    assertThat(result.paddingAtPeak()).isEqualTo(24);
    assertThat(result.spills()).isOne();
    assertThat(result.refusals()).isOne();
    assertThat(result.firstRefusal().orElseThrow().event()).isEqualTo(2);
    assertThat(result.report().usage().allocations()).isOne();
    assertThat(result.checksums()).isPresent();
  }

  @Test
  void anAlignmentTheDeviceCanNotGiveIsRefused() {
    Trace trace = Trace.of(List.of(new Allocate(0, 5, 0, 0, 64, "aligned", List.of())));
    assertThatThrownBy(() -> Replay.of(trace, Layout.parse("direct"), DEVICE))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("allocation aligned with an alignment of 64");
    assertThat(Replay.of(trace, Layout.parse("direct"), new DeviceProperties(1, 128)).refusals())
        .isZero();
  }
}
