package dev.quarry.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.failure.WorkFailure.Generic;
import dev.quarry.failure.WorkFailure.Launch;
import dev.quarry.failure.WorkFailure.Memory;
import dev.quarry.failure.WorkFailure.Several;
import dev.quarry.failure.WorkFailure.TornDown;
import dev.quarry.failure.WorkFailure.Unwritten;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ErrorGraphTest {
  private final ErrorGraph graph = new ErrorGraph();

  private static AllocationId memory(long id) {
    return new AllocationId(id);
  }

  @Test
  void failuresAreNumberedFromOneAndLiveWhileTagged() {
    FailureId first = graph.insert(new Generic("a"));
    FailureId second = graph.insert(new Generic("b"));
    assertThat(first).hasToString("#1");
    assertThat(second.value()).isEqualTo(2);
    graph.tag(first);
    graph.tag(first);
    graph.prune(first);
    graph.prune(second);
    assertThat(graph.size()).isOne();
    graph.untag(first);
    assertThat(graph.error(first)).contains(new Generic("a"));
    graph.replace(first, new Generic("c"));
    assertThat(graph.error(first)).contains(new Generic("c"));
    graph.untag(first);
    assertThat(graph.isEmpty()).isTrue();
    assertThat(graph.insert(new Generic("d")).value()).isEqualTo(3);
  }

  @Test
  void aReportWalksTheSkippedWorkBackToTheRoot() {
    FailureId id = graph.insert(new Generic("root"));
    graph.tag(id);
    graph.skipped(id, new Skipped("Matmul", memory(77), List.of(memory(91))));
    graph.skipped(id, new Skipped("Gelu", memory(91), List.of(memory(103))));
    Unwritten report = graph.report(id, memory(103)).orElseThrow();
    assertThat(report.chain())
        .satisfiesExactly(
            line -> assertThat(line).contains("Gelu", "91"),
            line -> assertThat(line).contains("Matmul", "77"));
    assertThat(report.root()).isEqualTo(new Generic("root"));
    assertThat(report.message()).contains("#1", "root", "Gelu", "Matmul");
    assertThat(graph.report(id, memory(555)).orElseThrow().chain()).isEmpty();
    assertThat(graph.report(new FailureId(9), memory(1))).isEmpty();
  }

  @Test
  void onlyTheNewestSkipsAreKept() {
    FailureId id = graph.insert(new Generic("root"));
    for (long i = 0; i < 20; i++)
      graph.skipped(id, new Skipped("k" + i, memory(i), List.of(memory(i + 1))));
    List<String> chain = graph.report(id, memory(20)).orElseThrow().chain();
    assertThat(chain).hasSize(17).last().asString().contains("4 older");
    assertThat(chain.getFirst()).startsWith("k19");
  }

  @Test
  void aReadIsToldEachFailureOnce() {
    FailureId first = graph.insert(new Generic("a"));
    FailureId second = graph.insert(new Generic("b"));
    Optional<Several> several =
        graph.reports(
            List.of(
                new Claim.Failed(first, memory(1)),
                new Claim.Failed(first, memory(2)),
                new Claim.Failed(second, memory(3)),
                new Claim.Failed(new FailureId(9), memory(4))));
    assertThat(several.orElseThrow().failures())
        .extracting(WorkFailure::message)
        .satisfiesExactly(
            message -> assertThat(message).contains("a", "allocation 1"),
            message -> assertThat(message).contains("b"));
    assertThat(graph.reports(List.of())).isEmpty();
  }

  @Test
  void aBufferThatNeverGotMemoryIsRememberedWhileItLives() {
    Object buffer = new Object();
    FailureId older =
        graph.failUnallocated(buffer, memory(1), new Memory(new MemoryFailure.OutOfMemory(5)));
    FailureId newer =
        graph.failUnallocated(buffer, memory(1), new Memory(new MemoryFailure.OutOfMemory(6)));
    assertThat(graph.error(older)).isEmpty();
    assertThat(graph.unallocatedFailure(memory(1))).contains(newer);
    List<Claim> claims =
        List.of(
            new Claim.Unallocated(memory(1)),
            new Claim.Failed(newer, memory(1)),
            new Claim.Unallocated(memory(2)),
            new Claim.Unallocated(memory(2)));
    assertThat(graph.reports(claims).orElseThrow().failures()).hasSize(3);
    assertThat(buffer).isNotNull();
    buffer = null;
    // The graph looks for lost buffers whenever another one fails.
    for (int i = 0; i < 200 && graph.error(newer).isPresent(); i++) {
      System.gc();
      graph.failUnallocated(new Object(), memory(100), new TornDown());
    }
    assertThat(graph.error(newer)).isEmpty();
  }

  @Test
  void onlyCompileErrorsAndResourceLimitsAreRefusalsBeforeRunning() {
    WorkFailure compile = new Launch("x", Launch.Cause.COMPILE);
    WorkFailure other = new Launch("x", Launch.Cause.OTHER);
    assertThat(new Several(List.of(compile, compile)).refusedBeforeRunning()).isTrue();
    assertThat(new Several(List.of(compile, other)).refusedBeforeRunning()).isFalse();
    assertThat(
            new Unwritten(new FailureId(1), 1, List.of(), compile, memory(1))
                .refusedBeforeRunning())
        .isTrue();
    assertThat(new Generic("x").refusedBeforeRunning()).isFalse();
  }
}
