package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.storage.Fence;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DropQueueTest {
  private final DropQueue queue = new DropQueue();
  private final List<String> released = new ArrayList<>();

  private static Fence fence() {
    return new Fence() {
      @Override
      public boolean isPassed() {
        return true;
      }

      @Override
      public void await() {}
    };
  }

  private void stage(String name) {
    queue.stage(() -> released.add(name), 1);
  }

  /// As a slot flushes: n flushes with something staged wait n - 1 times.
  private boolean flush() {
    Fence awaited = queue.awaited();
    if (awaited != null) queue.release(awaited);
    queue.rotate(fence());
    return awaited != null;
  }

  @Test
  void theFirstFlushWaitsForNothingAndEachLaterOneForTheOneBefore() {
    stage("a");
    assertThat(flush()).isFalse();
    assertThat(queue.staged()).isZero();
    assertThat(released).isEmpty();
    stage("b");
    assertThat(flush()).isTrue();
    assertThat(released).containsExactly("a");
    stage("c");
    assertThat(flush()).isTrue();
    assertThat(released).containsExactly("a", "b");
  }

  @Test
  void sixtyFourBuffersOrSixtyFourMebibytesWantAFlush() {
    for (int i = 0; i < 63; i++) stage("x");
    assertThat(queue.wantsFlush()).isFalse();
    stage("x");
    assertThat(queue.wantsFlush()).isTrue();
    flush();
    queue.stage(() -> {}, (64L << 20) - 1);
    assertThat(queue.wantsFlush()).isFalse();
    queue.stage(() -> {}, 1);
    assertThat(queue.wantsFlush()).isTrue();
  }

  @Test
  void bytesAreCountedBeyondFourGibibytes() {
    queue.stage(() -> {}, 5L << 30);
    queue.stage(() -> {}, 5L << 30);
    assertThat(queue.stagedBytes()).isEqualTo(10L << 30);
    assertThat(queue.wantsFlush()).isTrue();
  }

  @Test
  void onlyTheFenceOfTheGenerationReleasesIt() {
    stage("a");
    flush();
    queue.release(fence());
    assertThat(released).isEmpty();
    queue.releaseAll();
    assertThat(released).containsExactly("a");
    assertThat(queue.isEmpty()).isTrue();
  }
}
