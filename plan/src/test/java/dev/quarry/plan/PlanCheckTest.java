package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.plan.PlanCheck.Verdict;
import dev.quarry.plan.PlanCheck.Verdict.Differs;
import dev.quarry.plan.PlanCheck.Verdict.DoesNotFit;
import dev.quarry.plan.PlanCheck.Verdict.Fits;
import dev.quarry.replay.RandomWork;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayResult;
import dev.quarry.replay.ReplayResult.Refusal;
import dev.quarry.replay.Script;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanCheckTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(1 << 20, 32);
  private static final String OTHER_WORK = "0".repeat(64);

  private final Script script = new Script();

  private static Plan plan(
      String layout, DeviceProperties device, String sha256, long reserved, long load) {
    Plan.Source source = new Plan.Source("work", "JSON lines", sha256, 1, 1);
    return new Plan(Layout.parse(layout), device, source, reserved, load, List.of());
  }

  private Plan plan(String layout, long reserved, long load) {
    return plan(layout, DEVICE, script.trace().sha256(), reserved, load);
  }

  private Verdict check(Plan plan) {
    return PlanCheck.check(script.trace(), plan);
  }

  private void fillTwoPages() {
    int first = script.take(1024);
    script.take(1000);
    script.free(first).take(512);
    script.take(512);
  }

  @Test
  void aPlanThatSaysTheTruthFits() {
    fillTwoPages();

    Verdict verdict = check(plan("sliced:page=1024,cap=2048", 2048, 2024));

    assertThat(verdict).isEqualTo(new Fits(true, 2048, 2024));
    assertThat(verdict.message())
        .isEqualTo("the work fits, and needs what the plan says: 2048 bytes");
  }

  @Test
  void aCapThatIsShrunkFailsAtTheFirstAllocationWithoutRoom() {
    fillTwoPages();

    Verdict verdict = check(plan("sliced:page=1024,cap=1024", 2048, 2024));

    assertThat(verdict)
        .isEqualTo(new DoesNotFit(2, "1", 1000, "a pool is at its cap of 1024 bytes"));
    assertThat(verdict.message())
        .isEqualTo(
            "event 2: allocation 1 of 1000 bytes does not fit: a pool is at its cap of 1024 bytes");
  }

  @Test
  void aRequestThatNoPoolTakesDoesNotFit() {
    script.mark("begin").take(100);
    script.take(1025, 1, "logits");

    assertThat(check(plan("sliced:page=1024", 1024, 1125)))
        .isEqualTo(new DoesNotFit(3, "logits", 1025, "no pool takes that size"));
  }

  @Test
  void aFullPoolIsTheReasonEvenWhenALaterOneWouldNotTakeTheSize() {
    script.take(1024);
    script.take(1024);

    assertThat(check(plan("sliced:page=1024,cap=1024;exclusive:max=512", 0, 0)))
        .isEqualTo(new DoesNotFit(2, "1", 1024, "a pool is at its cap of 1024 bytes"));
  }

  @Test
  void aWrongReservedFigureDiffers() {
    fillTwoPages();

    Verdict verdict = check(plan("sliced:page=1024,cap=2048", 1024, 2024));

    assertThat(verdict).isEqualTo(new Differs("reserved", 1024, 2048));
    assertThat(verdict.message())
        .isEqualTo("the plan says reserved 1024, and the trace needs 2048");
  }

  @Test
  void aWrongLoadDiffers() {
    fillTwoPages();

    assertThat(check(plan("sliced:page=1024,cap=2048", 2048, 2025)))
        .isEqualTo(new Differs("load", 2025, 2024));
  }

  @Test
  void otherWorkThatFitsIsJudgedByItsOwnFigures() {
    script.take(700);

    Verdict verdict = check(plan("sliced:page=1024,cap=2048", DEVICE, OTHER_WORK, 2048, 2024));

    assertThat(verdict).isEqualTo(new Fits(false, 1024, 700));
    assertThat(verdict.message())
        .isEqualTo("the work fits, with 1024 bytes; it is not the work the plan was measured on");
  }

  @Test
  void otherWorkThatDoesNotFitIsSaidNotToFit() {
    script.take(1024);
    script.take(1024);
    script.take(32);

    assertThat(check(plan("sliced:page=1024,cap=2048", DEVICE, OTHER_WORK, 2048, 2024)))
        .isInstanceOf(DoesNotFit.class);
  }

  @Test
  void noWorkFitsWithNoBytes() {
    assertThat(check(plan("sliced:page=1024", 0, 0))).isEqualTo(new Fits(true, 0, 0));
  }

  @Test
  void onlyACompletedFreeMakesRoom() {
    int first = script.take(1024);
    script.askToFree(first).take(1024);

    assertThat(check(plan("sliced:page=1024,cap=1024", 1024, 1024)))
        .isEqualTo(new DoesNotFit(3, "1", 1024, "a pool is at its cap of 1024 bytes"));
  }

  @Test
  void aPlacementThatMissesTheAlignmentAskedForDoesNotFit() {
    script.take(32, 64, null);
    script.take(32, 64, null); // the device gives steps of 32, so this one lands at 32

    assertThat(check(plan("sliced:page=1024", 1024, 64)))
        .isEqualTo(new DoesNotFit(2, "1", 32, "its offset 32 is no multiple of 64"));
  }

  @Test
  void aLayoutThatDoesNotResolveIsRefused() {
    assertThatThrownBy(() -> check(plan("sliced:page=1024,cap=1000", 0, 0)))
        .isInstanceOf(LayoutException.class);
  }

  @Test
  void liveSizesBeyond64BitsAreRefusedAsAReplayRefusesThem() {
    for (int i = 0; i < 8; i++) script.take(TraceEvent.MAX_SIZE);

    assertThatThrownBy(() -> check(plan("direct", 0, 0)))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("at event 8 exceeds 64 bits");
  }

  @Test
  void pagesBeyond64BitsDoNotFit() {
    for (int i = 0; i < 9; i++) script.free(script.take(TraceEvent.MAX_SIZE - 32 * i));

    ReplayResult replayed = Replay.of(script.trace(), Layout.parse("direct"), DEVICE);
    Verdict verdict = check(plan("direct", 0, 0));

    assertThat(verdict).isInstanceOf(DoesNotFit.class);
    assertThat(((DoesNotFit) verdict).event())
        .isEqualTo(replayed.firstRefusal().orElseThrow().event());
  }

  @Test
  void hugeStepsOfAlignmentAreRoundedWithoutOverflow() {
    DeviceProperties coarse = new DeviceProperties(1 << 20, (1L << 60) - 1);
    script.take(1L << 60); // rounds up to 2^61 - 2
    for (int i = 0; i < 4; i++) script.take(1);

    assertThat(check(plan("direct", coarse, OTHER_WORK, 0, 0)))
        .isEqualTo(new Fits(false, 6 * ((1L << 60) - 1), (1L << 60) + 4));
  }

  @Test
  void progressIsToldAsTheTraceIsRead() {
    for (int i = 0; i < 5000; i++) script.free(script.take(64));
    List<Long> positions = new ArrayList<>();

    PlanCheck.check(script.trace(), plan("direct", 64, 64), positions::add);

    assertThat(positions).isNotEmpty().isSorted();
  }

  /// Why: the pools and the check share no code, so an error both make is an error in the rules as
  /// we understand them, and not in either program.
  @Test
  void theCheckAgreesWithAReplayOnRandomWork() {
    RandomWork.seeds(3000).forEach(seed -> agree(RandomWork.of(seed, 150)));
  }

  /// Why: long runs reach what short ones do not: pages that age, places taken again.
  @Test
  void theCheckAgreesWithAReplayOnLongRandomWork() {
    RandomWork.seeds(100).forEach(seed -> agree(RandomWork.of(seed, 4000)));
  }

  /// Why: a plan is believed because a smaller one would not do. Each capped pool of the measured
  /// layout in turn loses a page.
  @Test
  void theCheckAgreesWithAReplayWhenCapsAreShrunk() {
    RandomWork.seeds(500)
        .mapToObj(seed -> RandomWork.of(seed, 150))
        .forEach(work -> shrunk(work).forEach(PlanCheckTest::agree));
  }

  private static List<RandomWork> shrunk(RandomWork work) {
    ReplayResult measured = Replay.of(work.trace(), work.layout(), work.device());
    if (measured.reservedPeak() == 0) return List.of();
    List<PoolSpec> pools = ((Layout.Explicit) measured.report().cappedLayout()).pools();
    List<RandomWork> works = new ArrayList<>();
    for (int i = 0; i < pools.size(); i++) {
      if (!(pools.get(i) instanceof PoolSpec.Sliced pool) || pool.maxPoolSize().isEmpty()) continue;
      if (pool.maxPoolSize().getAsLong() < 2 * pool.pageSize()) continue;
      List<PoolSpec> fewer = new ArrayList<>(pools);
      fewer.set(
          i, PoolSpec.sliced(pool.pageSize(), pool.maxPoolSize().getAsLong() - pool.pageSize()));
      Layout layout = Layout.of(fewer.toArray(PoolSpec[]::new));
      works.add(new RandomWork(work.seed(), work.device(), layout, work.script()));
    }
    return works;
  }

  private static void agree(RandomWork work) {
    Trace trace = work.trace();
    ReplayResult replayed = Replay.of(trace, work.layout(), work.device());
    Plan plan = plan(work.layout().text(), work.device(), OTHER_WORK, 0, 0);

    Verdict verdict = PlanCheck.check(trace, plan);

    if (replayed.firstRefusal().isPresent()) {
      Refusal refusal = replayed.firstRefusal().get();
      assertThat(verdict).as(work.toString()).isInstanceOf(DoesNotFit.class);
      DoesNotFit failure = (DoesNotFit) verdict;
      assertThat(failure.event()).as(work.toString()).isEqualTo(refusal.event());
      assertThat(failure.name()).as(work.toString()).isEqualTo(refusal.name());
      assertThat(failure.size()).as(work.toString()).isEqualTo(refusal.size());
    } else {
      assertThat(verdict)
          .as(work.toString())
          .isEqualTo(new Fits(false, replayed.reservedPeak(), replayed.load()));
    }
  }
}
