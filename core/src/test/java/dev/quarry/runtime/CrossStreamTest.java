package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.QuietLogger;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.storage.SteppedStorage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Queues are numbered as slots are made: stream 0 has queue 0, stream 1 queue 1, and so on.
class CrossStreamTest {
  private final SteppedStorage storage = new SteppedStorage();
  private final QuietLogger logger = new QuietLogger();
  private final Device<MemorySegment> device =
      Device.open(storage, DeviceMemory.HOST, DeviceOptions.DEFAULT.slots(4).logger(logger));
  private final DeviceStream<MemorySegment> first = device.stream(0);
  private final DeviceStream<MemorySegment> second = device.stream(1);

  @AfterEach
  void close() {
    storage.finish();
    device.close();
    assertThat(storage.bytesAllocated()).isZero();
  }

  private static LaunchOutcome set(DeviceStream<MemorySegment> stream, Buffer buffer, int value) {
    return stream.fill(buffer, (byte) value);
  }

  private static byte firstByte(DeviceStream<MemorySegment> stream, Buffer buffer) {
    byte[] bytes = new byte[1];
    stream.read(buffer, MemorySegment.ofArray(bytes));
    return bytes[0];
  }

  private Slot<?> slotOf(DeviceStream<MemorySegment> stream) {
    return device.slots().get(stream.slot());
  }

  @Test
  void aConsumerWaitsForTheLastWriterAlsoForOneInPlaceLongAfterTheAllocation() {
    try (Buffer shared = first.allocate(64);
        Buffer copy = second.allocate(64)) {
      set(first, shared, 1);
      second.copy(shared, copy).orThrow();
      storage.finish();
      set(first, shared, 2);
      second.copy(shared, copy).orThrow();
      while (storage.step(1)) {}
      assertThat(storage.pending(1)).as("the consumer's queue waits").isPositive();
      assertThat(firstByte(second, copy)).isEqualTo((byte) 2);
    }
  }

  @Test
  void aWriterWaitsForReadersOfOtherSlots() {
    try (Buffer shared = first.allocate(64);
        Buffer copy = second.allocate(64)) {
      set(first, shared, 1);
      second.copy(shared, copy).orThrow();
      set(first, shared, 2);
      while (storage.step(0)) {}
      assertThat(storage.pending(0)).as("the overwriting fill waits for the copy").isPositive();
      assertThat(firstByte(second, copy)).isEqualTo((byte) 1);
      assertThat(firstByte(first, shared)).isEqualTo((byte) 2);
    }
  }

  @Test
  void aSlotThatHasWaitedFarEnoughDoesNotWaitAgain() {
    try (Buffer shared = first.allocate(64);
        Buffer copy = second.allocate(64)) {
      set(first, shared, 1);
      second.copy(shared, copy).orThrow();
      assertThat(slotOf(second).synced(0)).isEqualTo(1);
      storage.finish();
      second.copy(shared, copy).orThrow();
      assertThat(storage.pending(0)).as("no further fence on the writer's queue").isZero();
      assertThat(slotOf(first).synced(1)).as("the writer never waited").isZero();
    }
  }

  @Test
  void slotsAreComparedNotTheNumbersOfStreams() {
    DeviceStream<MemorySegment> sameSlot = device.stream(4);
    try (Buffer shared = first.allocate(64);
        Buffer copy = sameSlot.allocate(64)) {
      set(first, shared, 1);
      sameSlot.copy(shared, copy).orThrow();
      assertThat(slotOf(first).pins()).isZero();
      assertThat(storage.pending(0)).as("a fill and a copy, no fence").isEqualTo(2);
    }
  }

  @Test
  void memoryUsedByAnotherSlotStaysPinnedUntilTheFenceIsPassed() {
    Buffer shared = first.allocate(64);
    try (Buffer copy = second.allocate(64)) {
      set(first, shared, 1);
      storage.finish();
      second.copy(shared, copy).orThrow();
      shared.close();
      assertThat(first.report().usage().allocations()).isEqualTo(1);
      storage.finish();
      device.usage();
      assertThat(first.report().usage().allocations()).isZero();
    }
  }

  @Test
  void pinsHoldAlsoWhenNoWaitWasNeeded() {
    Buffer shared = first.allocate(64);
    try (Buffer copy = second.allocate(64)) {
      second.copy(shared, copy).orThrow();
      second.copy(shared, copy).orThrow();
      shared.close();
      assertThat(slotOf(second).pins()).isEqualTo(2);
      device.usage();
      assertThat(first.report().usage().allocations()).isEqualTo(1);
    }
  }

  @Test
  void aFenceThatReportsAnErrorReleasesItsPinsAndLaterOnesStillWork() {
    Buffer shared = first.allocate(64);
    Buffer other = first.allocate(64);
    try (Buffer copy = second.allocate(64)) {
      storage.fail(1, new WorkFailure.Generic("the cable is out"));
      second.copy(shared, copy).orThrow();
      second.copy(other, copy).orThrow();
      shared.close();
      other.close();
      storage.finish();
      device.usage();
      assertThat(first.report().usage().allocations()).isZero();
      assertThat(logger.warnings).anyMatch(line -> line.contains("the cable is out"));
    }
  }

  @Test
  void aFaultDuringExecutionReachesWhoeverWaitsForTheFence() {
    try (Buffer buffer = first.allocate(64)) {
      storage.fail(0, new WorkFailure.Generic("illegal address"));
      assertThatThrownBy(() -> firstByte(first, buffer))
          .isInstanceOf(WorkException.class)
          .hasMessage("illegal address");
      first.sync();
    }
  }

  /// A body that has not returned has not put all of its commands on the queue.
  @Test
  void aConsumerWaitsForAWriterWhoseBodyIsStillRunning() throws Exception {
    try (Buffer shared = first.allocate(64);
        Buffer copy = second.allocate(64)) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () ->
                      first.launch(
                          Launch.named("slow").writes(shared),
                          scope -> {
                            inside.countDown();
                            try {
                              goOn.await();
                            } catch (InterruptedException e) {
                              throw new IllegalStateException(e);
                            }
                            scope.queue().fill(scope.resource(shared), (byte) 9);
                          }));
      inside.await();
      Thread reader = Thread.ofPlatform().start(() -> second.copy(shared, copy).orThrow());
      try (Buffer unrelated = first.allocate(8)) {
        assertThat(unrelated.size()).as("allocating is not held up").isEqualTo(8);
      }
      goOn.countDown();
      writer.join();
      reader.join();
      assertThat(firstByte(second, copy)).isEqualTo((byte) 9);
    }
  }

  @Test
  void aBodyMayAllocateAndMustNotIssueCommands() {
    try (Buffer buffer = first.allocate(64)) {
      first
          .launch(
              Launch.named("scratch").writes(buffer),
              scope -> {
                try (Buffer scratch = first.allocate(64)) {
                  assertThat(scratch.isAllocated()).isTrue();
                }
                for (Runnable issue :
                    List.<Runnable>of(
                        () -> second.fill(buffer, (byte) 1),
                        () -> first.fill(buffer, (byte) 1),
                        first::sync,
                        device::cleanUp,
                        device::close)) {
                  assertThatThrownBy(issue::run)
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageContaining("may not issue commands");
                }
                scope.queue().fill(scope.resource(buffer), (byte) 5);
              })
          .orThrow();
      assertThat(firstByte(second, buffer)).isEqualTo((byte) 5);
    }
  }

  @Test
  void aScopeServesOnlyWhatTheLaunchNamesAndOnlyWhileItsBodyRuns() {
    try (Buffer named = first.allocate(64);
        Buffer other = first.allocate(64)) {
      ExecuteScope<?>[] leaked = new ExecuteScope<?>[1];
      first.launch(
          Launch.named("work").reads(named),
          scope -> {
            leaked[0] = scope;
            assertThatThrownBy(() -> scope.resource(other)).hasMessageContaining("is not among");
          });
      assertThatThrownBy(() -> leaked[0].queue()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void buffersOfAnotherDeviceAndClosedOnesAreRefusedBeforeAnythingHappens() {
    try (Device<MemorySegment> stranger =
            Device.open(new SteppedStorage(), DeviceMemory.HOST, DeviceOptions.DEFAULT);
        Buffer foreign = stranger.stream(0).allocate(8);
        Buffer gone = first.allocate(8)) {
      gone.close();
      for (Buffer bad : List.of(foreign, gone)) {
        assertThatThrownBy(() -> first.fill(bad, (byte) 1)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> firstByte(first, bad)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> device.check(bad)).isInstanceOf(RuntimeException.class);
      }
    }
  }

  @Test
  void aBufferClosedWhileItsCommandIsOnTheWayKeepsItsMemoryAndItsClaims() {
    Buffer written = first.allocate(64);
    try (Buffer alias = written.duplicate()) {
      first.launch(
          Launch.named("late").writes(written),
          scope -> {
            written.close();
            scope.fail(new WorkFailure.Generic("too late"));
          });
      assertThatThrownBy(() -> firstByte(first, alias)).hasMessageContaining("too late");
    }
  }

  @Test
  void windowsAddUpAndNeverChangeTheSize() {
    try (Buffer whole = first.allocate(100, "input");
        Buffer part = whole.view(10, 20);
        Buffer inner = part.view(5, 5)) {
      assertThat(inner.size()).isEqualTo(100);
      assertThat(inner.length()).isEqualTo(60);
      assertThat(inner.fromFront()).isEqualTo(15);
      assertThat(inner.fromBack()).isEqualTo(25);
      assertThat(inner.label()).contains("input");
      assertThat(whole.canMut()).isFalse();
      first.launch(
          Launch.named("count").writes(inner),
          scope -> {
            MemorySegment target = scope.resource(inner);
            scope.queue().run(() -> target.set(ValueLayout.JAVA_BYTE, 59, (byte) 4));
          });
      byte[] bytes = new byte[100];
      first.read(whole, MemorySegment.ofArray(bytes));
      assertThat(bytes[74]).isEqualTo((byte) 4);
      assertThatThrownBy(() -> part.view(70, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
