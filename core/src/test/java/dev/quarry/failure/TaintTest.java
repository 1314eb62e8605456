package dev.quarry.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.WorkFailure.Generic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A claim must end on exactly the bytes that were written again: one too many hides damage, one
/// too few refuses good data.
class TaintTest {
  private final ErrorGraph graph = new ErrorGraph();
  private final Taint taint = new Taint();

  private FailureId failure(String reason) {
    return graph.insert(new Generic(reason));
  }

  private void claim(long from, long to, FailureId failure) {
    taint.taint(from, to, failure, graph);
  }

  @Test
  void writingTheMiddleSplitsAClaim() {
    FailureId id = failure("f");
    claim(0, 100, id);
    taint.written(40, 60, graph);
    assertThat(taint.failure(0, 40)).contains(id);
    assertThat(taint.failure(40, 60)).isEmpty();
    assertThat(taint.failure(60, 100)).contains(id);
    assertThat(taint.failure(59, 61)).contains(id);
    assertThat(graph.size()).isOne();
    taint.written(0, 40, graph);
    taint.written(60, 100, graph);
    assertThat(taint.isClean()).isTrue();
    assertThat(graph.isEmpty()).isTrue();
  }

  @Test
  void eachFailureAnswersForItsBytes() {
    FailureId first = failure("1");
    FailureId second = failure("2");
    claim(0, 50, first);
    claim(50, 100, second);
    assertThat(taint.failure(0, 50)).contains(first);
    assertThat(taint.failure(50, 100)).contains(second);
    assertThat(taint.failure(0, 100)).as("the first to claim").contains(first);
    taint.written(0, 50, graph);
    assertThat(graph.error(first)).isEmpty();
    assertThat(graph.error(second)).isPresent();
  }

  @Test
  void theLatestClaimOnAByteCounts() {
    FailureId old = failure("old");
    FailureId young = failure("young");
    claim(0, 100, old);
    claim(25, 75, young);
    assertThat(taint.failure(0, 25)).contains(old);
    assertThat(taint.failure(25, 75)).contains(young);
    assertThat(taint.failure(75, 100)).contains(old);
    claim(0, 100, young);
    assertThat(graph.error(old)).isEmpty();
  }

  @Test
  void claimingAgainChangesNothingAndNeighboursFuse() {
    FailureId id = failure("f");
    for (int i = 0; i < 3; i++) claim(0, 10, id);
    claim(20, 30, id);
    claim(10, 20, id);
    assertThat(graph.report(id, new AllocationId(1)).orElseThrow().claimed()).isOne();
    taint.written(0, 30, graph);
    assertThat(graph.isEmpty()).isTrue();
  }

  @Test
  void anEmptyRangeClaimsNothingAndAnswersNothing() {
    FailureId id = failure("f");
    claim(10, 10, id);
    assertThat(taint.isClean()).isTrue();
    claim(0, 10, id);
    taint.written(5, 5, graph);
    assertThat(taint.failure(5, 5)).isEmpty();
    assertThat(taint.failure(10, 20)).isEmpty();
  }

  @Test
  void randomClaimsAndWritesAgreeWithOneFailurePerByte() {
    long seed = System.nanoTime();
    System.out.println("taint against bytes: seed " + seed);
    for (int round = 0; round < 500; round++)
      compareWithBytes(new SplittableRandom(seed + round), seed + round);
  }

  private static void compareWithBytes(SplittableRandom random, long seed) {
    ErrorGraph graph = new ErrorGraph();
    Taint taint = new Taint();
    FailureId[] bytes = new FailureId[64];
    List<FailureId> failures = new ArrayList<>();
    for (int step = 0; step < 60; step++) {
      int from = random.nextInt(65);
      int to = random.nextInt(65);
      if (random.nextInt(3) == 0) {
        taint.written(from, to, graph);
        if (from < to) Arrays.fill(bytes, from, to, null);
      } else {
        FailureId id =
            random.nextBoolean() && !failures.isEmpty()
                ? failures.get(random.nextInt(failures.size()))
                : graph.insert(new Generic("f"));
        if (graph.error(id).isEmpty()) continue;
        failures.add(id);
        taint.taint(from, to, id, graph);
        if (from < to) Arrays.fill(bytes, from, to, id);
        else graph.prune(id);
      }
      for (int at = 0; at < 64; at++)
        assertThat(taint.failure(at, at + 1))
            .as("seed %d, step %d, byte %d", seed, step, at)
            .isEqualTo(Optional.ofNullable(bytes[at]));
      assertThat(graph.size())
          .isEqualTo((int) Arrays.stream(bytes).filter(id -> id != null).distinct().count());
    }
    taint.clear(graph);
    assertThat(graph.isEmpty()).as("seed %d", seed).isTrue();
  }

  @Test
  void aFailureMustBePresentToBeTagged() {
    assertThatThrownBy(() -> graph.tag(new FailureId(7)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("#7");
    assertThatThrownBy(() -> graph.untag(new FailureId(7)))
        .isInstanceOf(IllegalStateException.class);
    graph.untag(null);
    graph.prune(new FailureId(7));
    graph.replace(new FailureId(7), new Generic("x"));
  }
}
