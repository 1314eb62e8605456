package dev.quarry.runtime;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.Handle;
import dev.quarry.Reservation;
import dev.quarry.failure.AllocationId;
import dev.quarry.failure.ErrorGraph;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.pool.Slice;
import dev.quarry.report.MemoryListener;
import dev.quarry.report.MemoryObserver;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemorySource;
import dev.quarry.report.MemoryUsage;
import dev.quarry.storage.Fence;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Storage;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A device that threads share: the streams, their memories, and the failures of what they run.
///
/// Assumptions
/// - The storage and its queues belong to the device from [#open] on, and are closed with it.
/// - A stream is named by a number. Numbers share [slots][DeviceOptions#slots], each with a memory
///   and a queue of its own; a slot is made when it is first used.
///
/// Guarantees
/// - One lock guards everything of a device. Nothing blocks while holding it but the storage's own
///   calls: bodies of launches run, and fences are waited for, without it.
/// - Closing buffers never takes it.
/// - Memory never moves between streams. A buffer may be used on any stream of its device; work is
///   ordered by what it reads and writes.
/// - Refusals and failures are values, or exceptions with the value inside; never an
///   [OutOfMemoryError].
///
/// Threads: every method may be called from any thread, though [#close], [#cleanUp] and whatever
/// waits not from the body of a launch.
///
/// @param <R> the storage's resource type
public final class Device<R> implements AutoCloseable {
  private static final long PINNED_ALIGNMENT = 16;

  final Storage<R> storage;
  final Failures failures = new Failures();
  private final DeviceProperties properties;
  private final DeviceProperties pinnedProperties;
  private final DeviceOptions options;
  private final @Nullable Storage<MemorySegment> pinnedStorage;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition settled = lock.newCondition();
  private final ConcurrentLinkedQueue<AllocationId> closedUnallocated =
      new ConcurrentLinkedQueue<>();
  private final List<InjectedRefusals> injected = new ArrayList<>();
  private final List<DeviceGraph<R>> graphs = new ArrayList<>();

  /// The slots by number, null where none was made. Replaced when one is made, so that it can be
  /// read without the lock.
  private volatile @Nullable Slot<R>[] byNumber;

  private volatile boolean closed;

  /// The layout of slots made from now on.
  private Layout layout;

  private int waiting;
  private long nextUnallocated;

  /// Whether a slot may keep memory of others pinned.
  boolean pinsPending;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Device(Storage<R> storage, DeviceProperties properties, DeviceOptions options) {
    this.storage = storage;
    this.properties = properties;
    this.pinnedProperties =
        new DeviceProperties(
            properties.maxPageSize(), PINNED_ALIGNMENT, properties.exclusiveOnly());
    this.options = options;
    this.layout = options.layout().orElseGet(() -> Layout.defaultFor(properties));
    this.byNumber = new Slot[options.slots()];
    this.pinnedStorage = storage.openPinned().orElse(null);
    this.nextUnallocated = failures.graph.nextIdBlock();
  }

  /// Opens a device with default options.
  ///
  /// @param <R> the storage's resource type
  public static <R> Device<R> open(Storage<R> storage, DeviceProperties properties) {
    return open(storage, properties, DeviceOptions.DEFAULT);
  }

  /// Opens a device over a storage, which it owns from now on.
  ///
  /// @param <R> the storage's resource type
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve; the storage is
  ///   untouched
  public static <R> Device<R> open(
      Storage<R> storage, DeviceProperties properties, DeviceOptions options) {
    options.layout().ifPresent(layout -> layout.resolve(properties));
    return new Device<>(storage, properties, options);
  }

  // Streams.

  /// The calling thread's stream: the one with the thread's own number. A program whose work moves
  /// between threads, or that has more threads than slots, chooses its streams by
  /// [number][#stream(long)].
  public DeviceStream<R> stream() {
    return stream(Thread.currentThread().threadId());
  }

  /// The stream with this number. Streams whose numbers leave the same remainder by the number of
  /// slots share a memory and a queue.
  ///
  /// @throws IllegalStateException when the device is closed
  public DeviceStream<R> stream(long id) {
    int number = (int) Math.floorMod(id, (long) options.slots());
    Slot<R> slot = byNumber[number];
    return new DeviceStream<>(this, id, slot == null ? makeSlot(number) : slot);
  }

  private Slot<R> makeSlot(int number) {
    lock();
    try {
      checkUsable();
      Slot<R> made = byNumber[number];
      if (made != null) return made;
      DeviceMemory<R> main =
          DeviceMemory.on(new SharedStorage<>(storage), properties)
              .name("stream " + number)
              .layout(layout)
              .options(options.memory())
              .errors(failures.graph)
              .logger(options.logger())
              .listener(listener(new MemorySource("stream " + number, number, false)))
              .open();
      Slot<R> slot =
          new Slot<>(this, number, options.slots(), main, pinned(number), storage.openQueue());
      Slot<R>[] more = Arrays.copyOf(byNumber, byNumber.length);
      more[number] = slot;
      byNumber = more;
      return slot;
    } finally {
      unlock();
    }
  }

  private @Nullable DeviceMemory<MemorySegment> pinned(int number) {
    if (pinnedStorage == null) return null;
    String name = "pinned memory of stream " + number;
    return DeviceMemory.on(new SharedStorage<>(pinnedStorage), pinnedProperties)
        .name(name)
        .errors(failures.graph)
        .logger(options.logger())
        .listener(listener(new MemorySource(name, number, true)))
        .open();
  }

  private MemoryListener listener(MemorySource source) {
    MemoryListener all = _ -> {};
    for (MemoryObserver observer : options.observers()) all = all.and(observer.observe(source));
    return all;
  }

  // Reserving.

  /// Reserves memory on a slot.
  ///
  /// @throws MemoryException when there is none, unless `deferred`
  Buffer allocate(Slot<R> slot, long size, @Nullable String label, boolean deferred) {
    if (size < 0) throw new IllegalArgumentException("size (" + size + ") is negative");
    Mapping mapping = DryRun.mapping();
    lock();
    try {
      checkUsable();
      releaseWhatIsDone();
      return switch (reserve(slot, size, mapping, label)) {
        case Handle handle -> {
          Slice slice = handle.hold().slice();
          Allocation allocation = new Allocation(slot, size, slice);
          yield new Buffer(allocation, handle, label, 0, 0);
        }
        case Reservation.Refused(MemoryFailure failure) when deferred ->
            unallocated(slot, size, label, failure);
        case Reservation.Refused(MemoryFailure failure) -> throw new MemoryException(failure);
      };
    } finally {
      unlock();
    }
  }

  private Reservation reserve(Slot<R> slot, long size, Mapping mapping, @Nullable String label) {
    if (isInjected(slot))
      return new Reservation.Refused(
          Exhaustion.of(this, slot, size, new MemoryFailure.OutOfMemory(size)));
    Reclaim reclaim = null;
    while (true) {
      Reservation reservation = slot.main.tryReserve(size, mapping, label);
      if (!(reservation instanceof Reservation.Refused(MemoryFailure failure))) return reservation;
      if (reclaim == null) reclaim = new Reclaim(this, slot);
      if (reclaim.worthAnotherTry(failure)) continue;
      if (failure instanceof MemoryFailure.BufferTooBig) return reservation;
      return new Reservation.Refused(Exhaustion.of(this, slot, size, failure));
    }
  }

  private Buffer unallocated(
      Slot<R> slot, long size, @Nullable String label, MemoryFailure failure) {
    AllocationId id = new AllocationId(nextUnallocated++);
    Allocation allocation = new Allocation(slot, size, id);
    failures.graph.failUnallocated(allocation, id, new WorkFailure.Memory(failure));
    return new Buffer(allocation, null, label, 0, 0);
  }

  /// Notes that nobody can ask about an allocation without memory any more. From any thread.
  void noteClosed(Allocation allocation) {
    closedUnallocated.add(allocation.id());
  }

  private boolean isInjected(Slot<R> slot) {
    for (InjectedRefusals each : injected) {
      if (each.refuses(slot)) return true;
    }
    return false;
  }

  // Whole-device operations.

  /// The sums over the main memories of all streams. Never fails for failures of work.
  public MemoryUsage usage() {
    return under(
        () -> {
          MemoryUsage sum = MemoryUsage.NONE;
          for (Slot<R> slot : slots()) sum = sum.plus(slot.main.usage());
          return sum;
        });
  }

  /// The main memory of every stream that was used.
  public List<MemoryReport> reports() {
    return under(() -> slots().stream().map(slot -> slot.main.report()).toList());
  }

  /// Gives every free page of every stream back, after waiting for host buffers on their way. Marks
  /// stay.
  public void cleanUp() {
    checkNotInBody();
    under(
        () -> {
          for (Slot<R> slot : slots()) slot.drainDrops();
          checkUsable();
          releaseWhatIsDone();
          for (Slot<R> slot : slots()) slot.cleanUp();
          failures.graph.releaseLostBuffers();
          return true;
        });
  }

  /// Checks that everything these buffers show was written, without waiting for it.
  ///
  /// @throws WorkException with each failure once, when something was not
  public void check(Buffer... buffers) {
    under(
        () -> {
          for (Buffer buffer : buffers) checkOwn(buffer);
          failures.ensureWritten(buffers);
          return true;
        });
  }

  /// Refuses reservations for tests of what a program does about it: after `skip` ones that are
  /// served as ever, `count` are refused as if the device were full. Closing the answer ends it.
  public InjectedRefusals injectRefusals(int skip, int count) {
    return inject(skip, count, null);
  }

  InjectedRefusals inject(int skip, int count, @Nullable Slot<R> slot) {
    InjectedRefusals refusals = new InjectedRefusals(this, slot, skip, count);
    return under(
        () -> {
          injected.add(refusals);
          return refusals;
        });
  }

  void endInjection(InjectedRefusals refusals) {
    lock();
    try {
      injected.remove(refusals);
    } finally {
      unlock();
    }
  }

  /// What layouts are resolved for here.
  public DeviceProperties properties() {
    return properties;
  }

  void layoutOfLaterSlots(Layout later) {
    layout = later;
  }

  /// Waits until no command is open and everything issued is done, then releases every memory,
  /// queue and graph, and the storage. Closing again does nothing.
  ///
  /// A buffer that became unreachable without being closed counts as open until the collector found
  /// it.
  ///
  /// @throws IllegalStateException when buffers or graphs are open, which the message names by
  ///   label, or when called from the body of a launch; the device is as before then
  @Override
  public void close() {
    close(false);
  }

  /// Closes the device whoever still has buffers and graphs of it, which lead nowhere from now on;
  /// closing them is harmless. For programs that end.
  ///
  /// @throws IllegalStateException when called from the body of a launch
  public void closeAnyway() {
    close(true);
  }

  private void close(boolean anyway) {
    checkNotInBody();
    lock();
    try {
      if (closed) return;
      if (!anyway && finishWork()) checkNothingHeld();
      closed = true;
      awaitCommands();
      for (Slot<R> slot : slots()) awaitUnlocked(lastFence(slot));
      closeEverything();
    } finally {
      unlock();
    }
  }

  private void awaitCommands() {
    while (slots().stream().anyMatch(slot -> slot.issuing != null)) awaitSettled();
  }

  /// Waits for everything issued, and releases what is only kept for it.
  ///
  /// @return whether it can be told who holds memory: a queue that gives no fence keeps some itself
  private boolean finishWork() {
    awaitCommands();
    try {
      for (Slot<R> slot : slots()) {
        if (slot.isRecording()) continue;
        slot.drainDrops();
        awaitUnlocked(slot.queue.fence());
      }
      releaseWhatIsDone();
      return true;
    } catch (RuntimeException e) {
      warn(() -> "closing whoever holds memory, since a queue gave no fence: " + e.getMessage());
      return false;
    }
  }

  private void checkNothingHeld() {
    List<String> held = new ArrayList<>();
    for (Slot<R> slot : slots()) held.addAll(slot.held());
    for (DeviceGraph<R> graph : graphs) held.add(graph.toString());
    if (!held.isEmpty())
      throw new IllegalStateException(
          "the device stays open, because it is still used by " + String.join(", ", held));
  }

  private Fence lastFence(Slot<R> slot) {
    try {
      if (slot.capture != null) slot.capture.dropRecording();
      return slot.queue.fence();
    } catch (RuntimeException e) {
      warn(() -> "slot " + slot.number + " gave no fence: " + e.getMessage());
      return Fence.PASSED;
    }
  }

  private void closeEverything() {
    RuntimeException failure = null;
    List<AutoCloseable> all = new ArrayList<>();
    for (DeviceGraph<R> graph : graphs) all.add(graph::release);
    for (Slot<R> slot : slots()) {
      slot.drops.releaseAll();
      all.add(slot.queue);
      all.add(slot.main);
      if (slot.pinned != null) all.add(slot.pinned);
    }
    if (pinnedStorage != null) all.add(pinnedStorage);
    all.add(storage);
    for (AutoCloseable each : all) {
      try {
        each.close();
      } catch (Exception e) {
        if (failure == null)
          failure = e instanceof RuntimeException r ? r : new IllegalStateException(e);
        else failure.addSuppressed(e);
      }
    }
    if (failure != null) throw failure;
  }

  // The lock, and what is done under it.

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /// Does something under the lock, once what nothing needs any more is released.
  <T> T under(Supplier<T> action) {
    lock();
    try {
      checkUsable();
      releaseWhatIsDone();
      return action.get();
    } finally {
      unlock();
    }
  }

  /// Releases what nothing needs any more: pins whose fences are passed, and failures of closed
  /// buffers.
  void releaseWhatIsDone() {
    for (AllocationId id = closedUnallocated.poll(); id != null; id = closedUnallocated.poll())
      failures.graph.forgetUnallocated(id);
    if (!pinsPending) return;
    pinsPending = false;
    for (Slot<R> slot : slots()) {
      slot.releasePassedPins();
      pinsPending |= slot.hasPins();
    }
  }

  /// Waits until some open command is settled, or for no reason; callers look again. Gives the lock
  /// up meanwhile.
  @SuppressWarnings("WaitNotInLoop")
  void awaitSettled() {
    waiting++;
    try {
      settled.awaitUninterruptibly();
    } finally {
      waiting--;
    }
  }

  void signalSettled() {
    if (waiting > 0) settled.signalAll();
  }

  /// Waits for a fence. Gives the lock, which is held once, up meanwhile.
  ///
  /// @return whether the fence reported no error
  boolean awaitUnlocked(Fence fence) {
    assert lock.getHoldCount() == 1 : "the lock would stay held while waiting";
    unlock();
    try {
      fence.await();
      return true;
    } catch (RuntimeException e) {
      warn(() -> "work of the device ended with an error: " + e.getMessage());
      return false;
    } finally {
      lock();
    }
  }

  void checkUsable() {
    if (closed) throw new IllegalStateException("the device is closed");
  }

  void checkOwn(Buffer buffer) {
    if (buffer.allocation.home.device != this)
      throw new IllegalArgumentException(buffer + " belongs to another device");
    buffer.checkOpen();
  }

  /// @throws IllegalStateException when a command of this device is open on the calling thread
  void checkNotInBody() {
    Thread current = Thread.currentThread();
    for (Slot<R> slot : byNumber) {
      if (slot != null && slot.issuing == current)
        throw new IllegalStateException(
            "the body of a launch may not issue commands to its device: it would wait for itself");
    }
  }

  /// The slots made so far.
  List<Slot<R>> slots() {
    List<Slot<R>> made = new ArrayList<>();
    for (Slot<R> slot : byNumber) {
      if (slot != null) made.add(slot);
    }
    return made;
  }

  boolean isClosed() {
    return closed;
  }

  void add(DeviceGraph<R> graph) {
    graphs.add(graph);
  }

  void remove(DeviceGraph<R> graph) {
    graphs.remove(graph);
  }

  void warn(Supplier<String> message) {
    options.logger().log(Level.WARNING, message);
  }

  /// The device's failures, for its tests.
  ErrorGraph errors() {
    return failures.graph;
  }

  @Override
  public String toString() {
    return "device with " + properties;
  }
}
