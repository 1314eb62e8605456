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
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArenaSearchTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(2L << 30, 32);

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
}
