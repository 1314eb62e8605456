package dev.quarry.runtime;

import dev.quarry.DryRun;
import dev.quarry.LaunchMode;
import dev.quarry.failure.InstallException;
import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.UnsupportedOperation;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.Layout;
import dev.quarry.layout.ResolvedLayout;
import dev.quarry.report.MemoryReport;
import dev.quarry.storage.Fence;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A stream of a device: where buffers are allocated, and where commands run in order.
///
/// A small value that names a stream of its device; make one as often as wanted, keep it or not.
///
/// Threads: every method may be called from any thread. Commands of streams on one slot take turns:
/// one that comes while another is being issued waits for it, without the device's lock. The body
/// of a launch may allocate, and must not issue commands.
///
/// Dry runs: in a [DryRun] reservations are mapped when they are first used, and launches, copies
/// between buffers and fills are skipped. [#write] and [#read] do what they say all the same, since
/// they carry the program's own data; a program that should upload nothing in a dry run uploads in
/// a launch, through [ExecuteScope#queue].
///
/// @param <R> the storage's resource type
public final class DeviceStream<R> {
  private static final LaunchOutcome DRY_RUN = new LaunchOutcome.DryRun();

  private final Device<R> device;
  private final long id;
  private final Slot<R> slot;

  DeviceStream(Device<R> device, long id, Slot<R> slot) {
    this.device = device;
    this.id = id;
    this.slot = slot;
  }

  /// The number of the stream.
  public long id() {
    return id;
  }

  /// The number of the slot that it shares with others.
  public int slot() {
    return slot.number;
  }

  /// The device.
  public Device<R> device() {
    return device;
  }

  // Memory.

  /// Reserves memory, reclaiming what is free on the whole device before it is refused. May wait
  /// for work then, without the device's lock.
  ///
  /// @param size in bytes, 0 or more
  /// @throws MemoryException when there is none: [dev.quarry.failure.Exhausted] with the figures,
  ///   or [dev.quarry.failure.MemoryFailure.BufferTooBig]
  public Buffer allocate(long size) {
    return device.allocate(slot, size, null, false);
  }

  /// Reserves memory as [#allocate(long)] does, for what the program calls so. Reports of full
  /// memory count by label.
  ///
  /// @param size in bytes, 0 or more
  /// @throws MemoryException when there is none
  public Buffer allocate(long size, String label) {
    return device.allocate(slot, size, label, false);
  }

  /// Reserves memory and always answers with a buffer. If there was none, the failure is recorded
  /// for the buffer: work that uses it is skipped, and reading it reports why.
  ///
  /// @param size in bytes, 0 or more
  public Buffer allocateDeferred(long size) {
    return device.allocate(slot, size, null, true);
  }

  /// As [#allocateDeferred(long)], for what the program calls so.
  ///
  /// @param size in bytes, 0 or more
  public Buffer allocateDeferred(long size, String label) {
    return device.allocate(slot, size, label, true);
  }

  /// Reserves pinned host memory, from the stream's own pools for it.
  ///
  /// @param size in bytes, 0 or more
  /// @throws MemoryException with [UnsupportedOperation] where the storage has none, or when there
  ///   is no room
  public HostBuffer allocatePinned(long size) {
    return slot.allocatePinned(size);
  }

  /// Opens a window: until it is closed, what is allocated on this stream's slot comes from the
  /// persistent pool, which no install touches.
  ///
  /// ```java
  /// try (StreamWindow _ = stream.persistent()) {
  ///   weights = stream.allocate(size, "weights");
  /// }
  /// ```
  public StreamWindow persistent() {
    return device.under(() -> new StreamWindow(device, slot.main.persistent()));
  }

  /// The stream's main memory, pool by pool.
  public MemoryReport report() {
    return device.under(slot.main::report);
  }

  /// Installs a layout: that of streams made from now on, and of this one. See [#tryInstall].
  ///
  /// @throws dev.quarry.layout.LayoutException when it does not resolve for this device
  /// @throws InstallException when this stream's pools could not be replaced
  public void install(Layout layout) {
    tryInstall(layout)
        .ifPresent(
            refusal -> {
              throw new InstallException(refusal);
            });
  }

  /// Makes a layout that of streams made from now on, and replaces this stream's pools by it, after
  /// waiting for what the device itself still holds of them. Other streams keep theirs; persistent
  /// and pinned memory is untouched.
  ///
  /// @return why this stream's pools could not be replaced; they are then as before, apart from
  ///   free pages given back. Streams made later have the new layout all the same, unless it is
  ///   [Unsupported][InstallRefusal.Unsupported]
  /// @throws dev.quarry.layout.LayoutException when it does not resolve; the device is untouched
  public Optional<InstallRefusal> tryInstall(Layout layout) {
    ResolvedLayout resolved = layout.resolve(device.properties());
    slot.enter();
    device.lock();
    try {
      device.checkUsable();
      if (!device.storage.hasConfigurablePools())
        return Optional.of(new InstallRefusal.Unsupported());
      device.layoutOfLaterSlots(layout);
      if (slot.capture != null) return Optional.of(new InstallRefusal.CaptureActive());
      if (!drainForInstall()) return Optional.of(new InstallRefusal.StreamUnavailable());
      return slot.main.tryInstall(resolved);
    } finally {
      device.unlock();
      slot.leave();
    }
  }

  private boolean drainForInstall() {
    boolean sound = slot.drainDrops();
    device.releaseWhatIsDone();
    List<Fence> fences = new ArrayList<>();
    for (Slot<R> each : device.slots()) each.collectPins(slot, fences);
    for (Fence fence : fences) sound &= device.awaitUnlocked(fence);
    device.checkUsable();
    device.releaseWhatIsDone();
    return sound;
  }

  // Copies.

  /// Copies host bytes to the beginning of a buffer. See [#write(Buffer, long, MemorySegment)].
  public void write(Buffer target, MemorySegment source) {
    write(target, 0, source);
  }

  /// Copies host bytes into a buffer. The source may be changed as soon as this returns.
  ///
  /// On an asynchronous device the bytes are staged in pinned host memory, and may not have arrived
  /// yet; from 100 MiB on they are copied from where they are, and this waits for it.
  ///
  /// @param offset where in the buffer's window they go, in bytes
  /// @throws IndexOutOfBoundsException when they do not fit the window
  /// @throws WorkException when the device refuses, or the buffer never got memory
  /// @throws MemoryException when the buffer could not be mapped
  public void write(Buffer target, long offset, MemorySegment source) {
    new HostCopy<>(device, slot, id).write(target, offset, source);
  }

  /// Copies pinned host memory into a buffer, from where it is. The source is kept until the device
  /// has read it, and must not be changed before.
  ///
  /// @param offset where in the buffer's window it goes, in bytes
  /// @throws IndexOutOfBoundsException when it does not fit the window
  /// @throws WorkException as [#write(Buffer, long, MemorySegment)] does
  public void write(Buffer target, long offset, HostBuffer source) {
    new HostCopy<>(device, slot, id).write(target, offset, source);
  }

  /// Copies the beginning of a buffer to the host. See [#read(Buffer, long, MemorySegment)].
  public void read(Buffer source, MemorySegment target) {
    read(source, 0, target);
  }

  /// Copies bytes of a buffer to the host, and waits for them.
  ///
  /// @param offset where in the buffer's window they begin
  /// @throws IndexOutOfBoundsException when the window does not reach that far
  /// @throws WorkException with every failure that claims bytes read, each once, or when the work
  ///   before it ended with an error of the device
  public void read(Buffer source, long offset, MemorySegment target) {
    new HostCopy<>(device, slot, id).read(source, offset, target);
  }

  /// Copies the window of a buffer to that of another of the same length, as a launch does.
  ///
  /// @throws IllegalArgumentException when the lengths differ
  public LaunchOutcome copy(Buffer source, Buffer target) {
    if (source.length() != target.length()) {
      throw new IllegalArgumentException(
          "the windows of " + source + " and " + target + " must have the same length");
    }
    return launch(
        Launch.named("copy").reads(source).writes(target),
        scope -> scope.queue().copy(scope.resource(source), scope.resource(target)));
  }

  /// Sets every byte of a buffer's window, as a launch does.
  public LaunchOutcome fill(Buffer target, byte value) {
    return launch(
        Launch.named("fill").writes(target),
        scope -> scope.queue().fill(scope.resource(target), value));
  }

  // Work.

  /// Runs work on this stream, after whatever it depends on.
  ///
  /// Where an input is claimed by a failure the body is not called, and the outputs carry that
  /// failure. Where the body fails, exactly what it was to write carries the new failure. Where it
  /// succeeds, claims on what it wrote end.
  ///
  /// @param <E> the checked exception the body may throw
  /// @throws E what the body throws; what it was to write stays claimed as torn down, until written
  /// @throws IllegalArgumentException when a buffer belongs to another device
  /// @throws IllegalStateException when a buffer is closed, or from the body of a launch
  public <E extends Exception> LaunchOutcome launch(Launch launch, LaunchBody<R, E> body) throws E {
    for (Buffer buffer : launch.reads) device.checkOwn(buffer);
    for (Buffer buffer : launch.writes) device.checkOwn(buffer);
    Optional<WorkFailure> unprepared = launch.preparation.get();
    if (unprepared.isPresent()) return slot.fail(launch.name, launch.writes, unprepared.get());
    if (LaunchMode.current() == LaunchMode.SKIP) return DRY_RUN;
    return slot.execute(
        id, Slot.Inputs.SKIP_IF_CLAIMED, launch.name, launch.reads, launch.writes, body);
  }

  /// Waits until everything issued on the slot so far is done.
  ///
  /// @throws WorkException when it ended with an error of the device
  public void sync() {
    slot.enter();
    Fence fence;
    try {
      fence = slot.fence();
    } finally {
      slot.leave();
    }
    fence.await();
  }

  /// Waits as [#sync()] does, then checks that everything these buffers show was written.
  ///
  /// @throws WorkException with each failure once, when something was not
  public void sync(Buffer... buffers) {
    sync();
    device.check(buffers);
  }

  /// Prepares to record a graph on this stream.
  ///
  /// @throws IllegalStateException when its slot is recording already
  public StreamCapture<R> capture() {
    slot.enter();
    device.lock();
    try {
      device.checkUsable();
      if (slot.capture != null)
        throw new IllegalStateException("slot " + slot.number + " is capturing a graph already");
      slot.capture = new StreamCapture<>(device, slot, id);
      return slot.capture;
    } finally {
      device.unlock();
      slot.leave();
    }
  }

  /// As [Device#injectRefusals], for this stream's slot alone.
  public InjectedRefusals injectRefusals(int skip, int count) {
    return device.inject(skip, count, slot);
  }

  @Override
  public String toString() {
    return "stream " + id + " on slot " + slot.number;
  }
}
