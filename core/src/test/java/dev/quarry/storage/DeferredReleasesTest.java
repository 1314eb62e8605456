package dev.quarry.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeferredReleasesTest {
  private final List<String> released = new ArrayList<>();
  private final DeferredReleases<String> releases = new DeferredReleases<>(released::add);

  private static final class Gate implements Fence {
    private boolean passed;
    private boolean fails;

    @Override
    public boolean isPassed() {
      if (fails) throw new WorkException(new WorkFailure.Generic("lost"));
      return passed;
    }

    @Override
    public void await() {
      passed = true;
      isPassed();
    }
  }

  @Test
  void whatNoCommandUsesIsReleasedAtOnce() {
    releases.add("a", List.of(Fence.PASSED));
    releases.add("b", List.of());
    assertThat(released).containsExactly("a", "b");
    assertThat(releases.size()).isZero();
  }

  @Test
  void eachPieceWaitsForAllOfItsFencesAndNoOthers() {
    Gate first = new Gate();
    Gate second = new Gate();
    releases.add("both", List.of(first, second));
    releases.add("second", List.of(second));
    second.passed = true;
    releases.releasePassed();
    assertThat(released).containsExactly("second");
    first.passed = true;
    releases.releasePassed();
    assertThat(released).containsExactly("second", "both");
  }

  @Test
  void workThatFailedUsesNothingAnyMore() {
    Gate lost = new Gate();
    releases.add("a", List.of(lost));
    lost.fails = true;
    releases.releasePassed();
    assertThat(released).containsExactly("a");
    Gate later = new Gate();
    releases.add("b", List.of(later));
    later.fails = true;
    releases.awaitAll();
    assertThat(released).containsExactly("a", "b");
  }

  @Test
  void aReleaseThatThrowsIsNotTriedAgainAndStopsNoOther() {
    List<String> tried = new ArrayList<>();
    DeferredReleases<String> stubborn =
        new DeferredReleases<>(
            memory -> {
              tried.add(memory);
              if (memory.equals("bad")) throw new IllegalStateException("no");
            });
    Gate gate = new Gate();
    stubborn.add("bad", List.of(gate));
    stubborn.add("good", List.of(gate));
    assertThatThrownBy(stubborn::awaitAll).hasMessage("no");
    stubborn.awaitAll();
    assertThat(tried).containsExactly("bad", "good");
  }
}
