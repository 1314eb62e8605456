package dev.quarry.model;

import dev.quarry.model.RandomScenarios.Family;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Holds the library against the model, step by step.
///
/// Why: reports, placements, errors and what the storage is asked for are promised to the byte, and
/// the machinery behind them is chosen for speed. A model too simple to be wrong in the same way
/// finds where speed cost truth. How many steps are taken is set as [RandomBudget] says.
final class DifferentialTest {
  private static final int STEPS_EACH = 400;
  private static final int LINES_SHOWN = 80;

  @Test
  void slicedPoolsPlaceAsTheModelDoes() {
    duel(Family.SLICED, 0.2);
  }

  @Test
  void exclusivePoolsReuseAndAgeAsTheModelDoes() {
    duel(Family.EXCLUSIVE, 0.15);
  }

  @Test
  void directPoolsReclaimAsTheModelDoes() {
    duel(Family.DIRECT, 0.15);
  }

  @Test
  void thePersistentPoolKeepsSizesAsTheModelDoes() {
    duel(Family.PERSISTENT, 0.1);
  }

  @Test
  void wholeLayoutsRouteAsTheModelDoes() {
    duel(Family.MIXED, 0.25);
  }

  @Test
  void presetsRouteAsTheModelDoes() {
    duel(Family.PRESET, 0.1);
  }

  @Test
  void allocationsOnRealBytesAreApart() {
    duel(Family.BYTES, 0.05);
  }

  private static void duel(Family family, double share) {
    long[] seeds = RandomBudget.seeds();
    int sequences = Math.ceilDiv(RandomBudget.steps(share), STEPS_EACH * seeds.length);
    for (long base : seeds) {
      for (int n = 0; n < sequences; n++) duel(family, RandomBudget.seed(base, n));
    }
  }

  private static void duel(Family family, long seed) {
    RandomScenarios random = new RandomScenarios(seed);
    Scenario scenario = random.scenario(family);
    List<Step> steps = random.steps(scenario, STEPS_EACH);
    try {
      Duel.fight(scenario, steps);
    } catch (AssertionError | RuntimeException e) {
      List<Step> fewer = Shrinker.shrink(steps, candidate -> fails(scenario, candidate));
      List<String> journal = Duel.narrate(scenario, fewer);
      List<String> tail =
          journal.subList(Math.max(0, journal.size() - LINES_SHOWN), journal.size());
      throw new AssertionError(
          "%s, seed %d (repeat with -Dquarry.random.seed=%d)%n%s%n%s"
              .formatted(family, seed, seed, scenario, String.join("\n", tail)),
          e);
    }
  }

  private static boolean fails(Scenario scenario, List<Step> steps) {
    try {
      Duel.fight(scenario, steps);
      return false;
    } catch (AssertionError | RuntimeException e) {
      return true;
    }
  }
}
