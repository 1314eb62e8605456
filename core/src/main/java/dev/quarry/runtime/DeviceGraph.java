package dev.quarry.runtime;

import dev.quarry.Handle;
import dev.quarry.LaunchMode;
import dev.quarry.storage.Recording;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Recorded commands of one stream, to be run as often as wanted.
///
/// It keeps all memory that its commands use, also that of buffers closed since, and the host
/// buffers of recorded copies, which are read anew at each replay.
///
/// Threads: every method may be called from any thread, and not from the body of a launch.
///
/// @param <R> the storage's resource type
public final class DeviceGraph<R> implements AutoCloseable {
  private final Device<R> device;
  private final Slot<R> slot;
  private final long stream;
  private final Recording recording;
  private final Buffer[] reads;
  private final Buffer[] writes;
  private final Collection<Allocation> touched;
  private final List<Handle> pins;
  private final List<Runnable> kept;
  private boolean open = true;

  DeviceGraph(
      Device<R> device,
      Slot<R> slot,
      long stream,
      Recording recording,
      Collection<Buffer> reads,
      Collection<Buffer> writes,
      Collection<Allocation> touched,
      Collection<Handle> pins,
      Collection<Runnable> kept) {
    this.device = device;
    this.slot = slot;
    this.stream = stream;
    this.recording = recording;
    this.reads = reads.toArray(Buffer[]::new);
    this.writes = writes.toArray(Buffer[]::new);
    this.touched = List.copyOf(touched);
    this.pins = List.copyOf(pins);
    this.kept = new ArrayList<>(kept);
  }

  /// Runs the commands on the stream that recorded them, as one launch that writes everything they
  /// write: skipped in a dry run, and where an input that the graph does not write first is
  /// claimed.
  ///
  /// @throws IllegalStateException when the graph is closed
  public LaunchOutcome replay() {
    device.lock();
    try {
      device.checkUsable();
      if (!open) throw new IllegalStateException("the graph was closed before");
    } finally {
      device.unlock();
    }
    if (LaunchMode.current() == LaunchMode.SKIP) return new LaunchOutcome.DryRun();
    return slot.execute(
        stream,
        Slot.Inputs.SKIP_IF_CLAIMED,
        "replay",
        reads,
        writes,
        scope -> HostCopy.attempt(scope, _ -> recording.replay()));
  }

  /// The windows that a replay writes, each once.
  int writtenWindows() {
    return writes.length;
  }

  /// Waits for the replays on their way, then lets the memory go. Closing again does nothing.
  @Override
  public void close() {
    slot.enter();
    device.lock();
    try {
      if (!open) return;
      open = false;
      if (device.isClosed()) return;
      device.remove(this);
      if (awaitReplays()) release();
      else slot.drops.stage(this::release, 0);
    } finally {
      device.unlock();
      slot.leave();
    }
  }

  /// A fence that reports an error is passed too.
  ///
  /// @return whether the queue gave a fence; if not, a later one has to be waited for
  private boolean awaitReplays() {
    try {
      device.awaitUnlocked(slot.queue.fence());
      return true;
    } catch (RuntimeException e) {
      device.warn(() -> "slot " + slot.number + " gave no fence: " + e.getMessage());
      return false;
    }
  }

  /// Lets everything go, once no replay is on its way.
  void release() {
    open = false;
    recording.close();
    touched.forEach(StreamCapture::unretain);
    pins.forEach(Handle::close);
    kept.forEach(Runnable::run);
    kept.clear();
  }

  @Override
  public String toString() {
    return "a graph of stream " + stream;
  }
}
