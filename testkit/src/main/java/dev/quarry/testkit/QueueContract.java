package dev.quarry.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.UnsupportedOperation;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import dev.quarry.storage.Recording;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every [CommandQueue] and its fences must do. Extend it beside [StorageContract], and say
/// how to open the storage.
///
/// Windows lie at odd offsets and have odd lengths: what a driver can copy only in words, a queue
/// has to take apart.
///
/// @param <R> the storage's resource type
public abstract class QueueContract<R> {
  private static final int SIZE = 1 << 16;

  private final Arena arena = Arena.ofShared();
  private final List<CommandQueue<R>> opened = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private Storage<R> storage;

  /// Made by JUnit.
  protected QueueContract() {}

  /// Makes a storage that holds at least 64 MiB.
  ///
  /// @return a storage that holds nothing yet
  protected abstract Storage<R> open();

  @BeforeEach
  void openStorage() {
    storage = open();
  }

  @AfterEach
  void closeAll() {
    opened.forEach(CommandQueue::close);
    storage.close();
    arena.close();
  }

  private CommandQueue<R> queue() {
    CommandQueue<R> queue = storage.openQueue();
    opened.add(queue);
    return queue;
  }

  private R window(StorageId id, long offset, long size) {
    return storage.get(new Region(id, offset, size));
  }

  private MemorySegment host(byte[] bytes) {
    MemorySegment segment = arena.allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
    segment.copyFrom(MemorySegment.ofArray(bytes));
    return segment;
  }

  private byte[] read(CommandQueue<R> queue, R source, int size) {
    MemorySegment target = host(new byte[size]);
    queue.read(source, target);
    queue.fence().await();
    return target.toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] pattern(int size, int seed) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) bytes[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
    return bytes;
  }

  @Test
  void bytesComeBackAsTheyWereWritten() {
    CommandQueue<R> queue = queue();
    StorageId id = storage.allocate(SIZE);
    queue.write(host(pattern(SIZE, 1)), window(id, 0, SIZE));
    assertThat(read(queue, window(id, 0, SIZE), SIZE)).isEqualTo(pattern(SIZE, 1));
  }

  /// Arrays of the program: they move while the device works, so the queue has to copy them.
  @Test
  void heapSegmentsAreCopiedLikeAnyOther() {
    CommandQueue<R> queue = queue();
    int size = (5 << 19) + 13;
    StorageId id = storage.allocate(size + 3);
    queue.fill(window(id, 0, size + 3), (byte) 9);
    byte[] bytes = pattern(size, 4);
    queue.write(MemorySegment.ofArray(bytes.clone()).asReadOnly(), window(id, 2, size));
    byte[] target = new byte[size + 3];
    queue.read(window(id, 0, size + 3), MemorySegment.ofArray(target));
    queue.fence().await();
    assertThat(target).startsWith(9, 9).endsWith(9);
    assertThat(Arrays.equals(target, 2, size + 2, bytes, 0, size)).isTrue();
  }

  @Test
  void commandsTouchTheBytesOfTheirWindowsAndNoOthers() {
    long seed = System.nanoTime();
    System.out.println(getClass().getSimpleName() + ": seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    CommandQueue<R> queue = queue();
    int size = 4099;
    StorageId[] ids = {storage.allocate(size), storage.allocate(size)};
    byte[][] expected = {pattern(size, 1), pattern(size, 2)};
    for (int i = 0; i < 2; i++) queue.write(host(expected[i]), window(ids[i], 0, size));
    for (int step = 0; step < 300; step++) {
      int from = random.nextInt(2);
      int length = random.nextInt(random.nextBoolean() ? 9 : 600);
      int source = random.nextInt(size - length);
      int target = random.nextInt(size - length);
      R targetWindow = window(ids[1 - from], target, length);
      switch (random.nextInt(3)) {
        case 0 -> {
          byte[] bytes = pattern(length, step);
          queue.write(host(bytes), targetWindow);
          System.arraycopy(bytes, 0, expected[1 - from], target, length);
        }
        case 1 -> {
          queue.copy(window(ids[from], source, length), targetWindow);
          System.arraycopy(expected[from], source, expected[1 - from], target, length);
        }
        default -> {
          queue.fill(targetWindow, (byte) step);
          Arrays.fill(expected[1 - from], target, target + length, (byte) step);
        }
      }
      if (step % 20 == 0) {
        assertThat(read(queue, window(ids[from], source, length), length))
            .as("seed %d, step %d", seed, step)
            .isEqualTo(Arrays.copyOfRange(expected[from], source, source + length));
      }
    }
    for (int i = 0; i < 2; i++)
      assertThat(read(queue, window(ids[i], 0, size), size))
          .as("seed %d", seed)
          .isEqualTo(expected[i]);
  }

  @Test
  void copiesInsideOneAllocationMoveWhatDoesNotOverlap() {
    CommandQueue<R> queue = queue();
    StorageId id = storage.allocate(SIZE);
    byte[] expected = pattern(SIZE, 3);
    queue.write(host(expected), window(id, 0, SIZE));
    queue.copy(window(id, 1, 1001), window(id, 30_003, 1001));
    System.arraycopy(expected, 1, expected, 30_003, 1001);
    assertThat(read(queue, window(id, 0, SIZE), SIZE)).isEqualTo(expected);
  }

  @Test
  void commandsOnNoBytesDoNothing() {
    CommandQueue<R> queue = queue();
    StorageId nothing = storage.allocate(0);
    StorageId some = storage.allocate(64);
    queue.fill(window(some, 0, 64), (byte) 5);
    for (R empty : List.of(window(nothing, 0, 0), window(some, 64, 0))) {
      queue.write(host(new byte[0]), empty);
      queue.read(empty, host(new byte[0]));
      queue.fill(empty, (byte) 1);
      queue.copy(empty, window(some, 3, 0));
    }
    assertThat(read(queue, window(some, 0, 64), 64)).containsOnly(5);
  }

  @Test
  void laterCommandsSeeWhatEarlierOnesDid() {
    CommandQueue<R> queue = queue();
    StorageId first = storage.allocate(SIZE);
    StorageId second = storage.allocate(SIZE);
    for (int i = 1; i <= 50; i++) {
      queue.fill(window(first, 0, SIZE), (byte) i);
      queue.copy(window(first, 0, SIZE), window(second, 0, SIZE));
    }
    queue.fill(window(first, 0, SIZE), (byte) 99);
    assertThat(read(queue, window(second, 0, SIZE), SIZE)).containsOnly(50);
  }

  @Test
  void aFenceIsPassedOnceItWasAwaitedAndStaysSoWhenItsQueueIsGone() {
    CommandQueue<R> queue = storage.openQueue();
    StorageId id = storage.allocate(SIZE);
    Fence first = queue.fence();
    queue.fill(window(id, 0, SIZE), (byte) 1);
    Fence second = queue.fence();
    second.await();
    assertThat(second.isPassed()).isTrue();
    assertThat(first.isPassed()).isTrue();
    queue.close();
    first.await();
    second.await();
    assertThat(first.isPassed() && second.isPassed()).isTrue();
  }

  @Test
  void manyThreadsMayWaitForOneFence() throws Exception {
    CommandQueue<R> queue = queue();
    StorageId id = storage.allocate(1 << 20);
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int round = 0; round < 20; round++) {
        queue.fill(window(id, 0, 1 << 20), (byte) round);
        Fence fence = queue.fence();
        List<Future<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          waiting.add(
              threads.submit(
                  () -> {
                    fence.await();
                    return fence.isPassed();
                  }));
        }
        for (Future<Boolean> each : waiting) assertThat(each.get()).isTrue();
      }
    }
  }

  @Test
  void aQueueWaitsForTheFenceOfAnother() {
    CommandQueue<R> writer = queue();
    CommandQueue<R> reader = queue();
    StorageId shared = storage.allocate(1 << 20);
    StorageId copy = storage.allocate(1 << 20);
    for (int i = 1; i <= 50; i++) {
      writer.fill(window(shared, 0, 1 << 20), (byte) i);
      reader.waitFor(writer.fence());
      reader.copy(window(shared, 0, 1 << 20), window(copy, 0, 1 << 20));
      writer.waitFor(reader.fence());
      assertThat(read(reader, window(copy, (1 << 20) - 7, 7), 7)).containsOnly(i);
    }
  }

  @Test
  void memoryGivenBackStaysUntilTheCommandsBeforeAreDone() {
    CommandQueue<R> queue = queue();
    StorageId kept = storage.allocate(1 << 20);
    for (int i = 1; i <= 30; i++) {
      StorageId source = storage.allocate(1 << 20);
      queue.fill(window(source, 0, 1 << 20), (byte) i);
      queue.copy(window(source, 0, 1 << 20), window(kept, 0, 1 << 20));
      storage.deallocate(source);
      storage.flush();
      StorageId other = storage.allocate(1 << 20);
      CommandQueue<R> second = opened.size() < 2 ? queue() : opened.get(1);
      second.fill(window(other, 0, 1 << 20), (byte) -1);
      byte[] expected = new byte[1 << 20];
      Arrays.fill(expected, (byte) i);
      assertThat(Arrays.equals(read(queue, window(kept, 0, 1 << 20), 1 << 20), expected)).isTrue();
      second.fence().await();
      storage.deallocate(other);
    }
    assertThat(storage.bytesAllocated()).isEqualTo(1 << 20);
  }

  @Test
  void hostCodeRunsInTheOrderOfTheQueueWhereItIsOffered() {
    CommandQueue<R> queue = queue();
    StorageId id = storage.allocate(SIZE);
    MemorySegment before = host(new byte[16]);
    AtomicInteger seen = new AtomicInteger(-1);
    queue.fill(window(id, 0, SIZE), (byte) 7);
    queue.read(window(id, 5, 16), before);
    try {
      queue.run(() -> seen.set(before.get(ValueLayout.JAVA_BYTE, 15)));
    } catch (MemoryException e) {
      assertThat(e.failure()).isInstanceOf(UnsupportedOperation.class);
      abort("this queue runs no host code");
    }
    queue.fence().await();
    assertThat(seen).hasValue(7);
  }

  @Test
  void whatIsRecordedRunsWhenReplayedAndOnlyThen() {
    CommandQueue<R> queue = queue();
    StorageId first = storage.allocate(SIZE);
    StorageId second = storage.allocate(SIZE);
    queue.fill(window(first, 0, SIZE), (byte) 1);
    queue.fill(window(second, 0, SIZE), (byte) 2);
    queue.fence().await();
    try {
      queue.beginRecording();
    } catch (MemoryException e) {
      assertThat(e.failure()).isInstanceOf(UnsupportedOperation.class);
      abort("this queue records no graphs");
    }
    queue.copy(window(first, 3, 1001), window(second, 5, 1001));
    queue.dropRecording();
    queue.beginRecording();
    queue.copy(window(first, 0, SIZE), window(second, 0, SIZE));
    Recording recording = queue.endRecording();
    assertThat(read(queue, window(second, 0, SIZE), SIZE)).containsOnly(2);
    for (int i = 10; i < 13; i++) {
      queue.fill(window(first, 0, SIZE), (byte) i);
      recording.replay();
      assertThat(read(queue, window(second, 0, SIZE), SIZE)).containsOnly(i);
    }
    queue.fence().await();
    recording.close();
  }

  @Test
  void queuesOfManyThreadsKeepTheirBytesApart() throws Exception {
    int threads = 4;
    List<CommandQueue<R>> queues = new ArrayList<>();
    List<R> windows = new ArrayList<>();
    StorageId id = storage.allocate((long) threads * SIZE);
    for (int i = 0; i < threads; i++) {
      queues.add(queue());
      windows.add(window(id, (long) i * SIZE, SIZE));
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<byte[]>> results = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        results.add(
            pool.submit(
                () -> {
                  byte[] last = {};
                  for (int round = 0; round < 50; round++) {
                    queues.get(number).fill(windows.get(number), (byte) (number * 50 + round));
                    last = read(queues.get(number), windows.get(number), SIZE);
                  }
                  return last;
                }));
      }
      for (int i = 0; i < threads; i++)
        assertThat(results.get(i).get()).containsOnly((byte) (i * 50 + 49));
    }
  }
}
