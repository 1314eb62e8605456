package dev.quarry.storage;

import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Host memory with an asynchronous device's manners, for tests: a command is put on its queue and
/// done when the test says so, in any interleaving of queues that a device might choose.
///
/// Queues are numbered from 0 in the order in which they were opened. [#step] does the next command
/// of one, [#finish] does all that can be done. A thread that waits for a fence does the commands
/// it needs by itself, so that a test on one thread never hangs; after [#letAwaitingBlock] it
/// blocks until another thread has done them.
///
/// Memory given back stays until the commands put on any queue before are done. Every method may be
/// called from any thread.
///
/// ```java
/// SteppedStorage storage = new SteppedStorage();
/// try (Device<MemorySegment> device = Device.open(storage, DeviceMemory.HOST)) {
///   work(device);
///   storage.finish();
/// }
/// ```
public final class SteppedStorage implements Storage<MemorySegment> {
  private final BytesStorage bytes;
  private final List<Queue> queues = new ArrayList<>();
  private final Map<StorageId, Long> sizes = new HashMap<>();
  private final Map<StorageId, List<Long>> givenBack = new HashMap<>();
  private long bytesGivenBack;
  private boolean awaitingBlocks;
  private long commandsDone;

  /// Host memory limited by nothing but the machine.
  public SteppedStorage() {
    this(Long.MAX_VALUE);
  }

  /// Host memory of which at most `limit` bytes are allocated at once, given back but still in use
  /// ones included.
  public SteppedStorage(long limit) {
    bytes = new BytesStorage(limit);
  }

  // What a test does.

  /// Does the next command of a queue.
  ///
  /// @return whether there was one that waits for no other queue
  public synchronized boolean step(int queue) {
    return queues.get(queue).step();
  }

  /// Does everything that can be done.
  public synchronized void finish() {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Queue queue : queues) {
        while (queue.step()) moved = true;
      }
    }
  }

  /// The commands of a queue that are not done yet.
  public synchronized int pending(int queue) {
    return queues.get(queue).commands.size();
  }

  /// The number of queues opened so far.
  public synchronized int queues() {
    return queues.size();
  }

  /// Puts a command on a queue that fails when it is done: the next fence behind it reports it.
  public synchronized void fail(int queue, WorkFailure failure) {
    queues
        .get(queue)
        .put(
            () -> {
              throw new WorkException(failure);
            });
  }

  /// Makes threads that wait for a fence block until another thread has done the work.
  public synchronized void letAwaitingBlock() {
    awaitingBlocks = true;
  }

  // What a device does.

  @Override
  public long alignment() {
    return bytes.alignment();
  }

  @Override
  public synchronized StorageId allocate(long size) {
    StorageId id = bytes.allocate(size);
    sizes.put(id, size);
    return id;
  }

  @Override
  public synchronized MemorySegment get(Region region) {
    if (givenBack.containsKey(region.id())) throw region.notFound();
    return bytes.get(region);
  }

  @Override
  public synchronized void deallocate(StorageId id) {
    Long size = sizes.remove(id);
    if (size == null) return;
    bytesGivenBack += size;
    givenBack.put(id, queues.stream().map(queue -> queue.put).toList());
    releaseUnused();
  }

  private void releaseUnused() {
    long before = bytes.bytesAllocated();
    givenBack
        .entrySet()
        .removeIf(
            entry -> {
              if (!isUnused(entry.getValue())) return false;
              bytes.deallocate(entry.getKey());
              return true;
            });
    bytesGivenBack -= before - bytes.bytesAllocated();
  }

  private boolean isUnused(List<Long> putBefore) {
    for (int i = 0; i < putBefore.size(); i++) {
      if (queues.get(i).done < putBefore.get(i)) return false;
    }
    return true;
  }

  /// Does nothing: memory is released as soon as no command uses it.
  @Override
  public void flush() {}

  @Override
  public synchronized long bytesAllocated() {
    return bytes.bytesAllocated() - bytesGivenBack;
  }

  @Override
  public synchronized CommandQueue<MemorySegment> openQueue() {
    Queue queue = new Queue(queues.size());
    queues.add(queue);
    return queue;
  }

  /// Host memory, since all memory is.
  @Override
  public Optional<Storage<MemorySegment>> openPinned() {
    return Optional.of(new BytesStorage());
  }

  @Override
  public synchronized void close() {
    bytes.close();
    notifyAll();
  }

  private interface Command {
    /// Whether it can be done now.
    default boolean isReady() {
      return true;
    }

    void run();
  }

  private final class Queue implements CommandQueue<MemorySegment> {
    private final int number;
    private final ArrayDeque<Command> commands = new ArrayDeque<>();
    private @Nullable List<Command> recorded;
    private @Nullable WorkFailure failure;
    private long put;
    private long done;

    Queue(int number) {
      this.number = number;
    }

    private void put(Command command) {
      synchronized (SteppedStorage.this) {
        if (recorded != null) {
          recorded.add(command);
          return;
        }
        commands.add(command);
        put++;
      }
    }

    /// Does the next command if it is ready.
    private boolean step() {
      Command next = commands.peek();
      if (next == null || !next.isReady()) return false;
      commands.remove();
      try {
        next.run();
      } catch (WorkException e) {
        if (failure == null) failure = e.failure();
      }
      done++;
      commandsDone++;
      releaseUnused();
      SteppedStorage.this.notifyAll();
      return true;
    }

    @Override
    public boolean isSynchronous() {
      return false;
    }

    @Override
    public void write(MemorySegment source, MemorySegment target) {
      put(() -> target.copyFrom(source));
    }

    @Override
    public void read(MemorySegment source, MemorySegment target) {
      put(() -> target.copyFrom(source));
    }

    @Override
    public void copy(MemorySegment source, MemorySegment target) {
      put(() -> target.copyFrom(source));
    }

    @Override
    public void fill(MemorySegment target, byte value) {
      put(() -> target.fill(value));
    }

    @Override
    public void run(Runnable work) {
      put(work::run);
    }

    @Override
    public Fence fence() {
      Signal signal = new Signal(this);
      put(signal);
      return signal;
    }

    @Override
    public void waitFor(Fence fence) {
      put(new Wait((Signal) fence));
    }

    @Override
    public void beginRecording() {
      synchronized (SteppedStorage.this) {
        recorded = new ArrayList<>();
      }
    }

    @Override
    public Recording endRecording() {
      synchronized (SteppedStorage.this) {
        List<Command> kept = recorded == null ? List.of() : List.copyOf(recorded);
        recorded = null;
        return new Recording() {
          @Override
          public void replay() {
            synchronized (SteppedStorage.this) {
              kept.forEach(Queue.this::put);
            }
          }

          @Override
          public void close() {}
        };
      }
    }

    @Override
    public void dropRecording() {
      synchronized (SteppedStorage.this) {
        recorded = null;
      }
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
      return "queue " + number;
    }
  }

  /// A fence, and the command that passes it.
  private final class Signal implements Fence, Command {
    private final Queue queue;
    private boolean passed;
    private @Nullable WorkFailure failure;

    Signal(Queue queue) {
      this.queue = queue;
    }

    @Override
    public void run() {
      passed = true;
      failure = queue.failure;
      queue.failure = null;
    }

    @Override
    public boolean isPassed() {
      synchronized (SteppedStorage.this) {
        if (passed && failure != null) throw new WorkException(failure);
        return passed;
      }
    }

    @Override
    public void await() {
      synchronized (SteppedStorage.this) {
        while (!passed) {
          if (awaitingBlocks) blockUntilSomethingIsDone();
          else doOneOfWhatItNeeds();
        }
        if (failure != null) throw new WorkException(failure);
      }
    }

    private void blockUntilSomethingIsDone() {
      long seen = commandsDone;
      boolean interrupted = false;
      while (commandsDone == seen) {
        try {
          SteppedStorage.this.wait();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
      if (interrupted) Thread.currentThread().interrupt();
    }

    /// Does the next command of the queue, or of the one that this waits for, and so on.
    private void doOneOfWhatItNeeds() {
      Queue blocked = queue;
      for (int hops = 0; hops <= queues.size(); hops++) {
        if (blocked.step()) return;
        if (!(blocked.commands.peek() instanceof Wait(Signal awaited))) break;
        blocked = awaited.queue;
      }
      throw new IllegalStateException(
          queue + " waits for a fence that no queue will pass: it waits for itself");
    }
  }

  /// Holds a queue up until a fence of another is passed.
  private record Wait(Signal signal) implements Command {
    @Override
    public boolean isReady() {
      return signal.passed;
    }

    @Override
    public void run() {}
  }
}
