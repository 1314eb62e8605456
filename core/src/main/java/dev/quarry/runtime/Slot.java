package dev.quarry.runtime;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.Holder;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.UnsupportedOperation;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.pool.Slice;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import dev.quarry.storage.Mapping;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What the streams whose ids fall on it share: memory, a queue, and the order of its commands.
///
/// **A command** passes three phases. It is *opened* under the device's lock: its buffers are
/// checked, retained and located, and the queue is made to wait for other slots' work on them. Its
/// *body* then runs without the lock. It is *settled* under the lock again: claims end or begin,
/// its uses are noted, and memory of other slots stays pinned until the queue has done the work.
/// The slot's turn is held all the time, so that one command at a time is open on a slot.
///
/// A command waits, without holding the lock, until no open command of another slot conflicts with
/// it. Open commands never wait, and bodies issue no commands, so nobody waits in a circle.
///
/// Everything but [#turn] and [#issuing] belongs to the device's lock. The queue is called by the
/// thread whose command is open, or under the lock while none is.
final class Slot<R> {
  private static final Buffer[] NONE = {};
  private static final LaunchOutcome EXECUTED = new LaunchOutcome.Executed();

  final Device<R> device;
  final int number;
  final DeviceMemory<R> main;
  final @Nullable DeviceMemory<MemorySegment> pinned;
  final CommandQueue<R> queue;
  final DropQueue drops = new DropQueue();
  private final ArrayDeque<Pinned> pins = new ArrayDeque<>();

  /// Memory to be pinned behind the next fence.
  private final List<Allocation> unfenced = new ArrayList<>();

  private final ExecuteScope<R> scope = new ExecuteScope<>(this);
  private final ReentrantLock turn = new ReentrantLock();
  private final Allocation.Waits noteBusy = this::noteBusy;
  private final Allocation.Waits waitOnDevice = this::waitOnDevice;

  /// For each slot of the device, how far this one's queue has been made to wait for it.
  private final long[] synced;

  /// The commands opened so far; the number of the latest.
  long issued;

  /// The thread whose command is open.
  volatile @Nullable Thread issuing;

  @Nullable StreamCapture<R> capture;
  private boolean busy;

  /// Memory of other slots that this one's work uses, until its fence is passed.
  private record Pinned(Fence fence, List<Allocation> used) {
    void release() {
      used.forEach(Slot::unretain);
    }
  }

  Slot(
      Device<R> device,
      int number,
      int slots,
      DeviceMemory<R> main,
      @Nullable DeviceMemory<MemorySegment> pinned,
      CommandQueue<R> queue) {
    this.device = device;
    this.number = number;
    this.main = main;
    this.pinned = pinned;
    this.queue = queue;
    this.synced = new long[slots];
  }

  /// What a command does about claims on its inputs.
  enum Inputs {
    /// Is skipped, and hands them on.
    SKIP_IF_CLAIMED,
    /// Throws what a reader is told.
    REPORT
  }

  // Taking turns.

  /// Takes the slot's turn, which orders its commands.
  void enter() {
    device.checkNotInBody();
    turn.lock();
  }

  void leave() {
    turn.unlock();
  }

  // Commands.

  <E extends Exception> LaunchOutcome execute(
      long stream,
      Inputs inputs,
      String name,
      Buffer[] reads,
      Buffer[] writes,
      LaunchBody<R, E> body)
      throws E {
    enter();
    try {
      LaunchOutcome early = open(stream, inputs, name, reads, writes);
      if (early != null) return early;
      try {
        body.run(scope);
      } catch (Throwable thrown) {
        tearDown(name, reads, writes, thrown);
        throw thrown;
      }
      return settle(name, reads, writes);
    } finally {
      leave();
    }
  }

  /// Fails work that can not even be tried: what it was to write carries the failure.
  LaunchOutcome fail(String name, Buffer[] writes, WorkFailure failure) {
    enter();
    device.lock();
    int retained = 0;
    try {
      device.checkUsable();
      retained = retainAll(NONE, writes);
      return failed(name, writes, failure);
    } finally {
      unretain(NONE, writes, retained);
      device.unlock();
      leave();
    }
  }

  /// Opens a command, unless it is to be skipped or fails at once.
  private @Nullable LaunchOutcome open(
      long stream, Inputs inputs, String name, Buffer[] reads, Buffer[] writes) {
    boolean opened = false;
    int retained = 0;
    device.lock();
    try {
      device.checkUsable();
      if (capture != null) capture.checkMayIssue(stream, inputs);
      retained = retainAll(reads, writes);
      LaunchOutcome early = prepare(inputs, name, reads, writes);
      opened = early == null;
      if (opened) begin(reads, writes);
      return early;
    } finally {
      if (!opened) unretain(reads, writes, retained);
      device.unlock();
    }
  }

  private int retainAll(Buffer[] reads, Buffer[] writes) {
    int count = 0;
    try {
      for (Buffer buffer : reads) count += retain(buffer);
      for (Buffer buffer : writes) count += retain(buffer);
      return count;
    } catch (RuntimeException e) {
      unretain(reads, writes, count);
      throw e;
    }
  }

  private int retain(Buffer buffer) {
    if (buffer.allocation.home.device != device)
      throw new IllegalArgumentException(buffer + " belongs to another device");
    Slice slice = buffer.allocation.slice;
    if (slice != null && !slice.retain())
      throw new IllegalStateException(buffer + " was closed before");
    return 1;
  }

  /// Takes the first `count` retained bindings away, in the order in which they were taken.
  private static void unretain(Buffer[] reads, Buffer[] writes, int count) {
    for (int i = 0; i < count; i++)
      unretain((i < reads.length ? reads[i] : writes[i - reads.length]).allocation);
  }

  private static void unretain(Allocation used) {
    if (used.slice != null) used.slice.unretain();
  }

  /// Gets everything ready. May give the lock up in between, and looks at everything anew then.
  private @Nullable LaunchOutcome prepare(
      Inputs inputs, String name, Buffer[] reads, Buffer[] writes) {
    Reclaim reclaim = null;
    while (true) {
      LaunchOutcome early = lookAtClaims(inputs, name, reads, writes);
      if (early != null) return early;
      if (conflicts(reads, writes)) {
        device.awaitSettled();
        device.checkUsable();
        continue;
      }
      MemoryFailure refused = locate(reads, writes);
      if (refused == null) return order(name, reads, writes);
      if (reclaim == null) reclaim = new Reclaim(device, this);
      if (!reclaim.worthAnotherTry(refused))
        return failed(name, writes, new WorkFailure.Memory(refused));
    }
  }

  private @Nullable LaunchOutcome lookAtClaims(
      Inputs inputs, String name, Buffer[] reads, Buffer[] writes) {
    Failures failures = device.failures;
    if (inputs == Inputs.REPORT) {
      failures.ensureWritten(reads);
      return null;
    }
    Buffer needed = failures.firstClaimed(reads);
    if (needed == null) needed = failures.firstUnallocated(writes);
    if (needed == null) return null;
    FailureId because = failures.propagate(name, needed, writes);
    if (capture != null) capture.doom(new WorkFailure.Skip());
    return new LaunchOutcome.Skipped(because);
  }

  /// Whether a command of another slot that is open now has to be settled first.
  private boolean conflicts(Buffer[] reads, Buffer[] writes) {
    busy = false;
    for (Buffer buffer : reads) {
      if (buffer.allocation.openWrites > 0) return true;
      buffer.allocation.forReader(noteBusy);
    }
    for (Buffer buffer : writes) {
      if (buffer.allocation.openWrites > 0 || buffer.allocation.openReads > 0) return true;
      buffer.allocation.forWriter(noteBusy);
    }
    return busy;
  }

  private void noteBusy(Slot<?> other, long reached) {
    if (mustWaitFor(other, reached) && other.issuing != null) busy = true;
  }

  private boolean mustWaitFor(Slot<?> other, long reached) {
    return other != this
        && synced[other.number] < reached
        && !other.queue.isSynchronous()
        && !isRecording();
  }

  /// Gets the resource of each window, which maps pages that are not mapped yet.
  private @Nullable MemoryFailure locate(Buffer[] reads, Buffer[] writes) {
    try {
      for (Buffer buffer : reads) locate(buffer);
      for (Buffer buffer : writes) locate(buffer);
      return null;
    } catch (MemoryException e) {
      return e.failure();
    }
  }

  private void locate(Buffer buffer) {
    Slice slice = buffer.allocation.slice;
    if (buffer.resource == null && slice != null)
      buffer.resource =
          device.storage.get(slice.locate().trim(buffer.fromFront(), buffer.fromBack()));
  }

  /// Makes the queue wait for other slots' work on these buffers.
  private @Nullable LaunchOutcome order(String name, Buffer[] reads, Buffer[] writes) {
    try {
      for (Buffer buffer : reads) buffer.allocation.forReader(waitOnDevice);
      for (Buffer buffer : writes) buffer.allocation.forWriter(waitOnDevice);
      return null;
    } catch (WorkException e) {
      return failed(name, writes, e.failure());
    } catch (MemoryException e) {
      return failed(name, writes, new WorkFailure.Memory(e.failure()));
    }
  }

  private void waitOnDevice(Slot<?> other, long reached) {
    if (!mustWaitFor(other, reached)) return;
    queue.waitFor(other.fenceForOthers());
    synced[other.number] = other.issued;
  }

  /// A fence behind everything that was put on the queue to be run.
  private Fence fenceForOthers() {
    return capture != null && capture.isRecording() ? capture.fenceBefore() : queue.fence();
  }

  private LaunchOutcome failed(String name, Buffer[] writes, WorkFailure failure) {
    device.failures.taint(failure, writes);
    if (capture != null) capture.doom(failure);
    device.warn(() -> "launch '" + name + "' failed: " + failure.message());
    return new LaunchOutcome.Failed(failure);
  }

  private void begin(Buffer[] reads, Buffer[] writes) {
    for (Buffer buffer : reads) buffer.allocation.openReads++;
    for (Buffer buffer : writes) buffer.allocation.openWrites++;
    issued++;
    issuing = Thread.currentThread();
    scope.open(reads, writes);
  }

  private LaunchOutcome settle(String name, Buffer[] reads, Buffer[] writes) {
    WorkFailure failure = scope.close();
    device.lock();
    try {
      if (failure != null) return failed(name, writes, failure);
      device.failures.written(writes);
      if (capture != null) capture.record(reads, writes);
      return EXECUTED;
    } finally {
      try {
        end(reads, writes);
      } finally {
        device.unlock();
      }
    }
  }

  /// Leaves what an exception interrupted claimed. The exception itself goes on untouched.
  private void tearDown(String name, Buffer[] reads, Buffer[] writes, Throwable thrown) {
    scope.close();
    device.lock();
    try {
      WorkFailure torn = new WorkFailure.TornDown();
      device.failures.taint(torn, writes);
      if (capture != null) capture.doom(torn);
    } catch (RuntimeException e) {
      thrown.addSuppressed(e);
    } finally {
      try {
        end(reads, writes);
      } finally {
        device.unlock();
      }
    }
    device.warn(() -> "launch '" + name + "' was torn down by " + thrown);
  }

  private void end(Buffer[] reads, Buffer[] writes) {
    for (Buffer buffer : reads) buffer.allocation.openReads--;
    for (Buffer buffer : writes) buffer.allocation.openWrites--;
    if (!isRecording()) {
      for (Buffer buffer : reads) buffer.allocation.noteRead(this, issued);
      for (Buffer buffer : writes) buffer.allocation.noteWrite(this, issued);
    }
    issuing = null;
    device.signalSettled();
    if (queue.isSynchronous() || isRecording() || allAtHome(reads, writes))
      unretain(reads, writes, reads.length + writes.length);
    else pin(reads, writes);
  }

  private boolean allAtHome(Buffer[] reads, Buffer[] writes) {
    for (Buffer buffer : reads) if (buffer.allocation.home != this) return false;
    for (Buffer buffer : writes) if (buffer.allocation.home != this) return false;
    return true;
  }

  // Pins.

  /// Keeps memory of other slots until the queue has done what was put on it so far.
  private void pin(Buffer[] reads, Buffer[] writes) {
    for (int i = 0; i < reads.length + writes.length; i++) {
      Allocation used = (i < reads.length ? reads[i] : writes[i - reads.length]).allocation;
      if (used.home == this) unretain(used);
      else unfenced.add(used);
    }
    device.pinsPending = true;
    fencePins();
  }

  /// Puts a fence behind the memory that is to be pinned. When the queue gives none, the memory is
  /// kept until it gives one: nobody knows what still uses it.
  private void fencePins() {
    try {
      pins.add(new Pinned(queue.fence(), List.copyOf(unfenced)));
      unfenced.clear();
    } catch (RuntimeException e) {
      device.warn(
          () -> "memory used by slot " + number + " stays pinned, for want of a fence: " + e);
    }
  }

  /// Releases pins whose fences are passed. A fence that reports an error is passed too: the work
  /// has ended.
  void releasePassedPins() {
    if (!unfenced.isEmpty() && isQueueMine() && !isRecording()) fencePins();
    while (!pins.isEmpty() && isPassed(pins.element().fence)) pins.remove().release();
  }

  private boolean isPassed(Fence fence) {
    try {
      return fence.isPassed();
    } catch (RuntimeException e) {
      device.warn(() -> "work of slot " + number + " ended with an error: " + e.getMessage());
      return true;
    }
  }

  boolean hasPins() {
    return !pins.isEmpty() || !unfenced.isEmpty();
  }

  /// The fences that keep memory of this slot, or of any where `of` is null, pinned.
  void collectPins(@Nullable Slot<?> of, List<Fence> into) {
    for (Pinned pin : pins) {
      if (of == null || pin.used.stream().anyMatch(used -> used.home == of)) into.add(pin.fence);
    }
  }

  /// A fence behind what is on the queue, unless another thread is using it.
  void collectWork(List<Fence> into) {
    if (!queue.isSynchronous() && isQueueMine() && !isRecording()) into.add(queue.fence());
  }

  int pins() {
    return pins.size();
  }

  long synced(int slot) {
    return synced[slot];
  }

  // Host buffers on their way.

  /// @throws MemoryException when the storage has no pinned memory, or no room
  HostBuffer allocatePinned(long size) {
    if (pinned == null) throw new MemoryException(new UnsupportedOperation("pinned host memory"));
    device.lock();
    try {
      device.checkUsable();
      Handle handle = pinned.reserve(size, Mapping.EAGER);
      return new HostBuffer(handle, pinned.resource(handle));
    } finally {
      device.unlock();
    }
  }

  /// Keeps a host buffer until the queue has done what was put on it so far, or, while a graph is
  /// recorded, for as long as the graph. Flushes where the queue holds a lot. The caller holds the
  /// turn.
  void keepUntilDone(Runnable release, long bytes, boolean flush) {
    device.lock();
    try {
      if (capture != null && capture.isRecording()) {
        capture.keep(release);
        return;
      }
      drops.stage(release, bytes);
      if (flush || drops.wantsFlush()) flushDrops();
    } finally {
      device.unlock();
    }
  }

  boolean isRecording() {
    return capture != null && capture.isRecording();
  }

  /// Whether the calling thread may call the queue under the lock.
  boolean isQueueMine() {
    return issuing == null || issuing == Thread.currentThread();
  }

  /// Waits, without the lock, for what the last flush left pending, then makes what is staged
  /// pending. Does nothing while a graph is recorded, since a fence would be recorded too.
  ///
  /// @return whether no fence reported an error
  boolean flushDrops() {
    if (isRecording() || drops.isEmpty()) return true;
    boolean sound = true;
    Fence awaited = drops.awaited();
    if (awaited != null) {
      sound = device.awaitUnlocked(awaited);
      drops.release(awaited);
    }
    if (drops.awaited() == null && drops.staged() > 0 && isQueueMine() && !isRecording()) {
      drops.rotate(queue.fence());
    }
    return sound;
  }

  /// Waits for all host buffers on their way.
  ///
  /// @return whether no fence reported an error
  boolean drainDrops() {
    boolean first = flushDrops();
    return flushDrops() && first;
  }

  /// A fence behind everything issued so far. The caller holds the turn.
  Fence fence() {
    device.lock();
    try {
      device.checkUsable();
      if (isRecording())
        throw new IllegalStateException(
            "slot " + number + " records a graph: nothing it is given now will be done");
      return queue.fence();
    } finally {
      device.unlock();
    }
  }

  /// What of this slot is in use, each in words.
  List<String> held() {
    List<String> held = new ArrayList<>();
    for (Holder holder : main.holders())
      held.add(
          describe(holder, holder.label().isEmpty() ? "buffers without a label" : holder.label()));
    if (pinned != null)
      for (Holder holder : pinned.holders()) held.add(describe(holder, "pinned host buffers"));
    if (isRecording()) held.add("a graph that stream " + number + " records");
    return held;
  }

  private static String describe(Holder holder, String name) {
    return name + " (" + holder.bytes() + " bytes in " + holder.allocations() + ")";
  }

  void cleanUp() {
    try {
      main.cleanUp();
      if (pinned != null) pinned.cleanUp();
    } catch (MemoryException e) {
      device.warn(() -> "slot " + number + " could not give all memory back: " + e.getMessage());
    }
  }
}
