package dev.quarry.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventFenceTest {
  private static final WorkFailure LOST = new WorkFailure.Generic("the device is lost");

  /// An event that ends when the test says so.
  private static final class Event extends EventFence {
    final CountDownLatch ends = new CountDownLatch(1);
    final CountDownLatch waitedFor = new CountDownLatch(1);
    final AtomicInteger releases = new AtomicInteger();
    volatile @Nullable WorkFailure failure;
    volatile boolean silent;
    volatile boolean deaf;

    @Override
    protected @Nullable Ended poll() {
      assertThat(releases).as("releases before the event is asked").hasValue(0);
      if (silent) throw new WorkException(LOST);
      return ends.getCount() > 0 ? null : new Ended(failure);
    }

    @Override
    protected void block() {
      waitedFor.countDown();
      if (deaf) throw new WorkException(LOST);
      try {
        ends.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      assertThat(releases).as("releases while somebody waits").hasValue(0);
    }

    @Override
    protected void release() {
      releases.incrementAndGet();
    }
  }

  @Test
  void anEventIsReleasedOnceAsSoonAsItsEndIsKnown() {
    Event event = new Event();
    assertThat(event.isPassed()).isFalse();
    assertThat(event.releases).hasValue(0);
    event.ends.countDown();
    assertThat(event.releases).as("nobody asked yet").hasValue(0);
    assertThat(event.isPassed()).isTrue();
    event.await();
    event.settle();
    assertThat(event.releases).hasValue(1);
  }

  @Test
  void aFailureIsToldToEverybodyWhoAsks() {
    Event event = new Event();
    event.failure = LOST;
    event.ends.countDown();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(event::isPassed).isInstanceOf(WorkException.class);
      assertThatThrownBy(event::await).isInstanceOf(WorkException.class);
    }
    assertThat(event.isSettled()).isTrue();
    assertThat(event.releases).hasValue(1);
  }

  @Test
  void anEventIsKeptWhileAnybodyWaitsForIt() throws Exception {
    Event event = new Event();
    List<Thread> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) waiting.add(Thread.ofPlatform().start(event::await));
    event.waitedFor.await();
    event.ends.countDown();
    while (!event.isPassed()) Thread.onSpinWait();
    for (Thread thread : waiting) thread.join();
    assertThat(event.releases).hasValue(1);
  }

  @Test
  void aWaitThatTheDriverRefusesLeavesTheEventToThoseWhoAskLater() {
    Event event = new Event();
    event.deaf = true;
    assertThatThrownBy(event::await).isInstanceOf(WorkException.class);
    assertThat(event.releases).hasValue(0);
    event.deaf = false;
    event.ends.countDown();
    event.await();
    assertThat(event.releases).hasValue(1);
  }

  @Test
  void aQueueThatClosesSettlesEventsThatNobodyCanAskAbout() {
    Event undone = new Event();
    undone.settle();
    assertThatThrownBy(undone::await).hasMessageContaining("closed before its work was done");
    assertThat(undone.releases).hasValue(1);
    Event silent = new Event();
    silent.silent = true;
    assertThatThrownBy(silent::isPassed).isInstanceOf(WorkException.class);
    assertThat(silent.releases).as("its end is not known").hasValue(0);
    silent.settle();
    assertThatThrownBy(silent::await).hasMessageContaining("the device is lost");
    assertThat(silent.releases).hasValue(1);
  }

  @Test
  void onlyWhatHasNotEndedIsNamedToOthers() {
    Event event = new Event();
    AtomicInteger named = new AtomicInteger();
    event.ifUnsettled(named::incrementAndGet);
    assertThat(named).hasValue(1);
    event.ends.countDown();
    event.await();
    event.ifUnsettled(named::incrementAndGet);
    assertThat(named).hasValue(1);
  }
}
