package dev.quarry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.NotFound;
import dev.quarry.layout.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/// Handles and bindings are what programs hold and other threads close, so their counts must be
/// right in every order.
///
/// The reference also has handles that were never reserved, and gives them memory later; here a
/// reservation returns its handle, so the rows of its table about such handles have nothing to
/// test.
class OwnerTest {
  private final DeviceMemory<MemorySegment> memory =
      DeviceMemory.onHost(Layout.parse("sliced:page=1MiB;direct"));

  /// Reachable until the test ends: a memory takes lost handles back.
  private final List<Handle> held = new ArrayList<>();

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void onlyASingleHandleMayWriteInPlace() {
    Handle handle = memory.reserve(64);
    assertThat(handle.canMut()).isTrue();
    assertThat(handle.isFree()).isFalse();
    Handle clone = handle.duplicate();
    assertThat(handle.canMut()).isFalse();
    assertThat(clone.canMut()).isFalse();
    clone.close();
    assertThat(handle.canMut()).isTrue();
    Binding binding = handle.binding();
    assertThat(handle.canMut()).isTrue();
    Binding last = handle.intoBinding();
    assertThat(handle.isClosed()).isTrue();
    assertThat(handle.canMut()).isFalse();
    binding.close();
    assertThat(last.isFree()).isFalse();
    last.close();
    assertThat(last.isFree()).isTrue();
    assertThat(memory.usage().allocations()).isZero();
  }

  @Test
  void closingAgainDoesNothing() {
    Handle handle = memory.reserve(64);
    Handle clone = handle.duplicate();
    for (int i = 0; i < 3; i++) handle.close();
    assertThat(memory.usage().allocations()).isOne();
    clone.close();
    clone.close();
    assertThat(memory.usage().allocations()).isZero();
  }

  @Test
  void everyReservationHasAnIdentityOfItsOwn() {
    Handle first = memory.reserve(64);
    first.close();
    Handle second = memory.reserve(64);
    assertThat(memory.placement(second)).isEqualTo(new Placement(0, 0, 0));
    assertThat(second.id()).isNotEqualTo(first.id());
    assertThat(first.isFree()).isTrue();
    assertThat(first.size()).isEqualTo(64);
  }

  @Test
  void aStaleOwnerNeverLeadsToAnothersBytes() {
    Handle stale = memory.reserve(64);
    Binding staleBinding = stale.binding();
    staleBinding.close();
    stale.close();
    held.add(memory.reserve(64));
    for (Owner owner : List.of(stale, staleBinding)) {
      assertThatThrownBy(() -> memory.locate(owner))
          .isInstanceOfSatisfying(
              MemoryException.class, e -> assertThat(e.failure()).isInstanceOf(NotFound.class))
          .hasMessageContaining("was closed before");
      assertThatThrownBy(owner::binding).isInstanceOf(IllegalStateException.class);
    }
    assertThatThrownBy(stale::duplicate).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anOwnerOfAnotherMemoryIsNotFound() {
    try (DeviceMemory<MemorySegment> other = DeviceMemory.onHost(Layout.parse("direct"))) {
      Handle foreign = other.reserve(64);
      assertThatThrownBy(() -> memory.locate(foreign))
          .isInstanceOf(MemoryException.class)
          .hasMessageContaining("belongs to another memory");
      assertThat(memory.failure(foreign, 0, 64)).isEmpty();
    }
  }

  @Test
  void aClosedMemoryKnowsNobodyAndMinds() {
    Handle handle = memory.reserve(64);
    memory.close();
    memory.close();
    assertThatThrownBy(() -> memory.locate(handle))
        .isInstanceOf(MemoryException.class)
        .hasMessageContaining("is closed");
    handle.close();
    assertThatThrownBy(() -> memory.reserve(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(memory::report).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void offsetsTrimFromBothEnds() {
    Handle handle = memory.reserve(64);
    memory.resource(handle).set(ValueLayout.JAVA_BYTE, 24, (byte) 7);
    MemorySegment window = memory.resource(handle, 24, 8);
    assertThat(window.byteSize()).isEqualTo(32);
    assertThat(window.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    assertThatThrownBy(() -> memory.resource(handle, 60, 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> memory.resource(handle, -1, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> memory.resource(handle, Long.MAX_VALUE, Long.MAX_VALUE))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(memory.resource(handle, 64, 0).byteSize()).isZero();
  }

  @Test
  void theCursorBeginsAtZeroWithEveryReservation() {
    Handle handle = memory.reserve(64);
    memory.cursor(handle, 9);
    assertThat(memory.cursor(handle)).isEqualTo(9);
    handle.close();
    assertThat(memory.cursor(memory.reserve(64))).isZero();
  }

  @Test
  void negativeSizesAreMisuse() {
    assertThatThrownBy(() -> memory.reserve(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("size (-1)");
  }

  /// Other threads close, duplicate and bind what the owning thread reserves; in the end every byte
  /// is back, and none was back too early: whoever owns an allocation sees its own bytes in it.
  @Test
  void ownersMayBeSharedAndClosedByAnyThread(TestInfo test) throws Exception {
    long seed = System.nanoTime();
    System.out.println(test.getDisplayName() + ": seed " + seed);
    ConcurrentLinkedQueue<Handle> handedOver = new ConcurrentLinkedQueue<>();
    int threads = 4;
    AtomicInteger working = new AtomicInteger(threads);
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<Void>> done = new ArrayList<>();
      for (int t = 0; t < threads; t++)
        done.add(executor.submit(closer(handedOver, new SplittableRandom(seed + t), working)));
      SplittableRandom random = new SplittableRandom(seed - 1);
      for (int i = 0; i < 40_000; i++) {
        Handle handle = memory.reserve(8 + random.nextInt(500));
        MemorySegment bytes = memory.resource(handle);
        bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, handle.id().value());
        assertThat(handle.canMut()).isTrue();
        Binding mine = random.nextInt(8) == 0 ? handle.binding() : null;
        handedOver.add(handle);
        if (mine == null) continue;
        assertThat(bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(mine.id().value());
        mine.close();
      }
      working.decrementAndGet();
      for (Future<Void> each : done) each.get();
    }
    assertThat(memory.usage().allocations()).isZero();
    memory.cleanUp();
    assertThat(memory.usage().bytesReserved()).isZero();
  }

  private static Callable<Void> closer(
      ConcurrentLinkedQueue<Handle> queue, SplittableRandom random, AtomicInteger working) {
    int producerDone = working.get() - 1;
    return () -> {
      while (true) {
        Handle handle = queue.poll();
        if (handle == null) {
          if (working.get() == producerDone && queue.isEmpty()) return null;
          Thread.onSpinWait();
          continue;
        }
        Owner other = random.nextBoolean() ? handle.duplicate() : handle.binding();
        if (random.nextBoolean()) handle.close();
        else handle.intoBinding().close();
        handle.close();
        other.close();
      }
    };
  }

  /// Whichever thread wins, a handle is closed once, and a duplicate made in the race either counts
  /// or was refused.
  @Test
  void racesOnOneHandleEndWithEverythingFree() throws Exception {
    int threads = 4;
    CyclicBarrier start = new CyclicBarrier(threads + 1);
    CyclicBarrier end = new CyclicBarrier(threads + 1);
    Handle[] contended = new Handle[1];
    int rounds = 3_000;
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<Void>> done = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        boolean closes = t % 2 == 0;
        done.add(
            executor.submit(
                () -> {
                  for (int i = 0; i < rounds; i++) {
                    start.await();
                    if (closes) contended[0].close();
                    else tryToDuplicate(contended[0]);
                    end.await();
                  }
                  return null;
                }));
      }
      for (int i = 0; i < rounds; i++) {
        contended[0] = memory.reserve(64);
        start.await();
        end.await();
        assertThat(contended[0].isFree()).as("round %d", i).isTrue();
        assertThat(memory.usage().allocations()).as("round %d", i).isZero();
      }
      for (Future<Void> each : done) each.get();
    }
  }

  private static void tryToDuplicate(Handle handle) {
    try (Handle duplicate = handle.duplicate()) {
      assertThat(duplicate.isFree()).isFalse();
    } catch (IllegalStateException _) {
      assertThat(handle.isClosed()).isTrue();
    }
  }
}
