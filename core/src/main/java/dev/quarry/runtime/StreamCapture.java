package dev.quarry.runtime;

import dev.quarry.GraphCapture;
import dev.quarry.Handle;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.pool.Slice;
import dev.quarry.storage.Fence;
import dev.quarry.storage.Recording;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A scope in which a stream's commands are recorded as a graph.
///
/// It begins *preparing*: commands run as ever, so that everything the work needs is compiled and
/// reserved, from the persistent pool. From [#begin] on they are recorded and not run. [#end] makes
/// the graph. Closing before that, or [#abort], forgets what was recorded.
///
/// A command that fails or is skipped while recording dooms the graph: [#end] then makes none. What
/// was recorded for nothing was never written, so its outputs carry the failure.
///
/// Several slots may record at once. While a slot records, only the stream that began may issue
/// commands on it, and none that waits.
///
/// ```java
/// try (StreamCapture<MemorySegment> capture = stream.capture()) {
///   step();
///   capture.begin();
///   step();
///   graph = capture.end();
/// }
/// graph.replay();
/// ```
///
/// Threads: every method may be called from any thread, and not from the body of a launch. A call
/// out of order throws [IllegalStateException] and changes nothing.
///
/// @param <R> the storage's resource type
public final class StreamCapture<R> implements AutoCloseable {
  private final Device<R> device;
  private final Slot<R> slot;
  private final long stream;
  private final GraphCapture main;
  private final @Nullable GraphCapture pinned;

  /// What is read before a recorded command has written it.
  private final List<Buffer> reads = new ArrayList<>();

  private final List<Buffer> writes = new ArrayList<>();
  private final Set<Window> readWindows = new HashSet<>();
  private final Set<Window> writtenWindows = new HashSet<>();
  private final Set<Allocation> written = new HashSet<>();
  private final Set<Allocation> touched = new HashSet<>();
  private final List<Runnable> kept = new ArrayList<>();
  private State state = State.PREPARING;

  /// Whether the queue keeps commands now.
  private boolean recording;

  private @Nullable WorkFailure doom;
  private Fence fenceBefore = Fence.PASSED;

  private enum State {
    PREPARING,
    RECORDING,
    ENDED
  }

  /// What tells recorded windows apart.
  private record Window(Allocation allocation, long from, long to) {
    static Window of(Buffer buffer) {
      return new Window(buffer.allocation, buffer.fromFront(), buffer.end());
    }
  }

  StreamCapture(Device<R> device, Slot<R> slot, long stream) {
    this.device = device;
    this.slot = slot;
    this.stream = stream;
    this.main = slot.main.capture();
    this.pinned = slot.pinned == null ? null : slot.pinned.capture();
  }

  /// Begins to record. Waits for host buffers on their way first.
  ///
  /// @throws MemoryException where the storage can not record
  public void begin() {
    slot.enter();
    device.lock();
    try {
      check(State.PREPARING);
      state = State.RECORDING;
      try {
        slot.drainDrops();
        device.checkUsable();
        main.endPriming();
        if (pinned != null) pinned.endPriming();
        fenceBefore = slot.queue.fence();
        slot.queue.beginRecording();
        recording = true;
      } catch (RuntimeException e) {
        forget();
        throw e;
      }
    } finally {
      device.unlock();
      slot.leave();
    }
  }

  /// Ends the recording and makes a graph of it, to be closed by the caller.
  ///
  /// @throws WorkException when a recorded command failed or was skipped, or the device can not
  ///   replay what was recorded; there is no graph then, and the capture has ended
  public DeviceGraph<R> end() {
    slot.enter();
    device.lock();
    try {
      check(State.RECORDING);
      Recording recorded = endRecording();
      if (recorded == null) throw new WorkException(doomed());
      List<Handle> pins = new ArrayList<>(main.end());
      if (pinned != null) pins.addAll(pinned.end());
      leaveSlot();
      DeviceGraph<R> graph =
          new DeviceGraph<>(device, slot, stream, recorded, reads, writes, touched, pins, kept);
      device.add(graph);
      return graph;
    } finally {
      device.unlock();
      slot.leave();
    }
  }

  private @Nullable Recording endRecording() {
    if (doom != null) {
      slot.queue.dropRecording();
      return null;
    }
    try {
      return slot.queue.endRecording();
    } catch (WorkException e) {
      doom = e.failure();
    } catch (MemoryException e) {
      doom = new WorkFailure.Memory(e.failure());
    } finally {
      recording = false;
    }
    return null;
  }

  /// Gives everything up because of the failure that doomed the graph.
  private WorkFailure doomed() {
    WorkFailure failure = doom == null ? new WorkFailure.Generic("nothing was recorded") : doom;
    device.failures.taint(failure, writes.toArray(Buffer[]::new));
    forget();
    return failure;
  }

  /// Ends the capture without a graph. What was recorded carries a failure that says so. Does
  /// nothing when the capture has ended.
  public void abort() {
    slot.enter();
    device.lock();
    try {
      if (state == State.ENDED) return;
      if (recording) {
        slot.queue.dropRecording();
        recording = false;
        if (doom == null)
          doom = new WorkFailure.Generic("recorded in a capture that was aborted, and never run");
        doomed();
      } else {
        forget();
      }
    } finally {
      device.unlock();
      slot.leave();
    }
  }

  /// As [#abort].
  @Override
  public void close() {
    abort();
  }

  private void forget() {
    recording = false;
    main.close();
    if (pinned != null) pinned.close();
    touched.forEach(StreamCapture::unretain);
    kept.forEach(Runnable::run);
    leaveSlot();
  }

  private void leaveSlot() {
    state = State.ENDED;
    slot.capture = null;
  }

  /// Drops what the queue recorded, when the device is closed in the middle.
  void dropRecording() {
    if (recording) slot.queue.dropRecording();
    recording = false;
  }

  private void check(State expected) {
    device.checkUsable();
    if (state != expected) {
      throw new IllegalStateException(
          "the capture on slot " + slot.number + " is " + state + ", not " + expected);
    }
  }

  // For the slot, under the device's lock.

  boolean isRecording() {
    return recording;
  }

  void checkMayIssue(long issuer, Slot.Inputs inputs) {
    if (!recording) return;
    if (issuer != stream) {
      throw new IllegalStateException(
          "stream " + stream + " records a graph on the slot that stream " + issuer + " shares");
    }
    if (inputs == Slot.Inputs.REPORT) {
      throw new IllegalStateException(
          "stream " + stream + " records a graph: a read would wait for work that does not run");
    }
  }

  /// A fence behind what was issued before the recording began.
  Fence fenceBefore() {
    return fenceBefore;
  }

  /// The first failure counts.
  void doom(WorkFailure failure) {
    if (recording && doom == null) doom = failure;
  }

  void record(Buffer[] read, Buffer[] wrote) {
    if (!recording) return;
    for (Buffer buffer : read) {
      touch(buffer.allocation);
      if (!written.contains(buffer.allocation) && readWindows.add(Window.of(buffer)))
        reads.add(buffer.inGraph());
    }
    for (Buffer buffer : wrote) {
      touch(buffer.allocation);
      written.add(buffer.allocation);
      if (writtenWindows.add(Window.of(buffer))) writes.add(buffer.inGraph());
    }
  }

  /// Keeps an allocation for as long as the graph.
  private void touch(Allocation allocation) {
    Slice slice = allocation.slice;
    if (slice == null || !touched.add(allocation)) return;
    if (!slice.retain()) throw new AssertionError("a command's memory is retained by it");
  }

  void keep(Runnable release) {
    kept.add(release);
  }

  static void unretain(Allocation allocation) {
    if (allocation.slice != null) allocation.slice.unretain();
  }
}
