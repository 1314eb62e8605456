package dev.quarry.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.Placement;
import dev.quarry.Reservation;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolKind;
import dev.quarry.layout.PoolSpec;
import dev.quarry.model.RandomScenarios.Family;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What was measured fits, on random work.
///
/// Why: it is the promise of the whole library. A plan that does not hold its own measurement, or a
/// dry run that measures something else than the real one, would be worth nothing.
final class ReplayTest {
  private static final long MIB = 1 << 20;
  private static final DeviceProperties DEVICE = new DeviceProperties(128 * MIB, 32);
  private static final int ROUNDS = 150;

  @Test
  void workFitsAnArenaCappedAtItsPeak() {
    for (long seed = 1; seed <= ROUNDS; seed++) {
      List<Step> work = megabytes(seed);
      DeviceMemory<Region> measured = memory(Layout.of(PoolSpec.sliced(MIB)), DEVICE);
      List<Object> expected = run(measured, work, step -> Mapping.EAGER);
      PoolReport peak = measured.report().pools().getFirst();

      DeviceMemory<Region> planned =
          memory(Layout.of(PoolSpec.sliced(MIB, MIB * peak.pagesPeak())), DEVICE);
      List<Object> replayed = run(planned, work, step -> Mapping.EAGER);

      assertThat(replayed).as("seed %d", seed).hasOnlyElementsOfType(Placement.class);
      assertThat(replayed).as("seed %d", seed).isEqualTo(expected);
      PoolReport again = planned.report().pools().getFirst();
      assertThat(again.pagesPeak()).as("seed %d", seed).isEqualTo(peak.pagesPeak());
      assertThat(again.largestAlloc()).as("seed %d", seed).isEqualTo(peak.largestAlloc());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Family.class,
      names = {"SLICED", "EXCLUSIVE", "DIRECT", "MIXED", "PRESET"})
  void workIsPlacedAlikeOnTheLayoutOfItsOwnReport(Family family) {
    int planned = 0;
    for (long seed = 1; seed <= ROUNDS; seed++) {
      RandomScenarios random = new RandomScenarios(seed);
      Scenario scenario = random.scenario(family);
      List<Step> work = requestsAndReleases(random, scenario);
      Layout layout = scenario.layouts().getFirst();
      DeviceMemory<Region> measured = memory(layout, scenario.properties());
      List<Object> expected = run(measured, work, step -> Mapping.LAZY);
      MemoryReport report = measured.report();
      // The layout of a report is a plan for work that was served.
      if (ranOut(expected) || nothingWasHeld(report)) continue;
      if (!keepsItsLimits(report, scenario.properties())) continue;
      planned++;
      String title = "%s, seed %d, %s".formatted(family, seed, layout);

      DeviceMemory<Region> fresh = memory(report.cappedLayout(), scenario.properties());
      List<Object> replayed = run(fresh, work, step -> Mapping.EAGER);
      assertThat(replayed).as(title).isEqualTo(renumbered(expected, report));
      compareMarks(title, report, fresh.report());

      measured.install(report.cappedLayout());
      List<Object> inPlace = run(measured, work, step -> Mapping.EAGER);
      for (int i = 0; i < inPlace.size(); i++) {
        // Exclusive pages age in another phase on a memory that has counted reservations already.
        if (expected.get(i) instanceof Placement)
          assertThat(inPlace.get(i)).as(title).isInstanceOf(Placement.class);
        else assertThat(inPlace.get(i)).as(title).isEqualTo(expected.get(i));
      }
    }
    assertThat(planned).as("measurements that made a plan").isGreaterThan(ROUNDS / 2);
  }

  @ParameterizedTest
  @EnumSource(
      value = Family.class,
      names = {"SLICED", "EXCLUSIVE", "DIRECT", "PERSISTENT", "MIXED", "PRESET"})
  void lazyWorkReportsWhatEagerWorkDoesButForWhatIsUnmapped(Family family) {
    for (long seed = 1; seed <= ROUNDS; seed++) {
      RandomScenarios random = new RandomScenarios(seed);
      Scenario scenario = random.scenario(family);
      List<Step> work = requestsAndReleases(random, scenario);
      Layout layout = scenario.layouts().getFirst();
      SplittableRandom coin = new SplittableRandom(seed);
      DeviceMemory<Region> eager = memory(layout, scenario.properties());
      List<Object> expected = run(eager, work, step -> Mapping.EAGER);

      DeviceMemory<Region> lazy = memory(layout, scenario.properties());
      DeviceMemory<Region> mixed = memory(layout, scenario.properties());
      List<Object> byLazy = run(lazy, work, step -> Mapping.LAZY);
      List<Object> byMixed = run(mixed, work, step -> Mapping.values()[coin.nextInt(2)]);

      String title = "%s, seed %d, %s".formatted(family, seed, layout);
      assertThat(byLazy).as(title).isEqualTo(expected);
      assertThat(byMixed).as(title).isEqualTo(expected);
      assertThat(allMapped(lazy.report())).as(title).isEqualTo(eager.report());
      assertThat(allMapped(mixed.report())).as(title).isEqualTo(eager.report());
      assertThat(lazy.storage().bytesAllocated())
          .as(title)
          .isLessThanOrEqualTo(eager.storage().bytesAllocated());
    }
  }

  // Work.

  /// Requests of up to a mebibyte, most of them small.
  private static List<Step> megabytes(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Step> steps = new ArrayList<>();
    int closesInHundred = 50;
    for (int i = 0; i < 400; i++) {
      if (i % 40 == 0) closesInHundred = 20 + random.nextInt(60);
      if (random.nextInt(100) < closesInHundred) steps.add(new Step.Close(random.nextInt(1 << 20)));
      else
        steps.add(new Step.Reserve(random.nextLong(MIB >> random.nextInt(8)) + 1, Mapping.EAGER));
    }
    return steps;
  }

  private static List<Step> requestsAndReleases(RandomScenarios random, Scenario scenario) {
    return random.steps(scenario, 500).stream()
        .filter(
            step ->
                step instanceof Step.Reserve
                    || step instanceof Step.Close
                    || step instanceof Step.CleanUp)
        .toList();
  }

  private static DeviceMemory<Region> memory(Layout layout, DeviceProperties properties) {
    return DeviceMemory.on(new CountingStorage(), properties)
        .layout(layout)
        .logger(new SilentLogger())
        .open();
  }

  /// What became of each request: a placement, or a failure. Everything is closed at the end.
  private static List<Object> run(
      DeviceMemory<Region> memory, List<Step> work, LongFunction<Mapping> mapping) {
    List<Object> outcomes = new ArrayList<>();
    List<Handle> live = new ArrayList<>();
    for (Step step : work) {
      switch (step) {
        case Step.Reserve(long size, _) ->
            outcomes.add(
                switch (memory.tryReserve(size, mapping.apply(outcomes.size()))) {
                  case Handle handle -> {
                    live.add(handle);
                    yield memory.placement(handle);
                  }
                  case Reservation.Refused(MemoryFailure failure) -> failure;
                });
        case Step.Close(int owner) -> {
          if (!live.isEmpty()) live.remove(owner % live.size()).close();
        }
        default -> memory.cleanUp();
      }
    }
    live.forEach(Handle::close);
    return outcomes;
  }

  private static boolean ranOut(List<Object> outcomes) {
    return outcomes.stream().anyMatch(MemoryFailure.OutOfMemory.class::isInstance);
  }

  private static boolean nothingWasHeld(MemoryReport report) {
    return report.pools().stream().allMatch(pool -> pool.pagesPeak() == 0);
  }

  /// Whether the plan takes the same sizes. A preset's slice limits need not be multiples of the
  /// alignment, and resolving the plan rounds them up; then a request of a size in between goes to
  /// an earlier pool than it was measured in.
  private static boolean keepsItsLimits(MemoryReport report, DeviceProperties properties) {
    List<OptionalLong> measured =
        report.pools().stream()
            .filter(pool -> pool.pagesPeak() > 0)
            .map(pool -> slice(pool.spec()))
            .toList();
    List<OptionalLong> planned =
        report.cappedLayout().resolve(properties).pools().stream().map(ReplayTest::slice).toList();
    return planned.equals(measured);
  }

  private static OptionalLong slice(PoolKind kind) {
    return kind instanceof PoolSpec.Sliced sliced ? sliced.maxSliceSize() : OptionalLong.empty();
  }

  // Reports.

  /// The same placements where pools that never held a page are gone.
  private static List<Object> renumbered(List<Object> outcomes, MemoryReport report) {
    int[] number = new int[report.pools().size()];
    for (int i = 1; i < number.length; i++)
      number[i] = number[i - 1] + (report.pools().get(i - 1).pagesPeak() > 0 ? 1 : 0);
    return outcomes.stream()
        .map(
            each ->
                each instanceof Placement(int pool, int page, long offset)
                    ? new Placement(number[pool], page, offset)
                    : each)
        .toList();
  }

  private static void compareMarks(String title, MemoryReport measured, MemoryReport planned) {
    List<PoolReport> held = measured.pools().stream().filter(pool -> pool.pagesPeak() > 0).toList();
    assertThat(planned.pools()).as(title).hasSameSizeAs(held);
    for (int i = 0; i < held.size(); i++) {
      PoolReport before = held.get(i);
      PoolReport after = planned.pools().get(i);
      assertThat(after.pagesPeak()).as(title).isEqualTo(before.pagesPeak());
      assertThat(after.largestAlloc()).as(title).isEqualTo(before.largestAlloc());
      assertThat(after.usage()).as(title).isEqualTo(before.usage());
    }
  }

  private static MemoryReport allMapped(MemoryReport report) {
    return new MemoryReport(
        report.name(),
        report.pools().stream().map(ReplayTest::mapped).toList(),
        mapped(report.persistent()));
  }

  private static PoolReport mapped(PoolReport pool) {
    return new PoolReport(
        pool.spec(),
        pool.usage(),
        pool.pages(),
        pool.pagesPeak(),
        0,
        pool.largestAlloc(),
        pool.largestFree());
  }
}
