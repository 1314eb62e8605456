package dev.quarry.runtime;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.pool.Slice;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Copies between the host and buffers of one stream.
///
/// A source that its owner may change at once is *staged*: copied to pinned memory, which the drop
/// queue keeps until the device has read it. Staging is left out where the queue is synchronous,
/// where the source is pinned already, and from 100 MiB on, where waiting for the copy is cheaper
/// than making another.
record HostCopy<R>(Device<R> device, Slot<R> slot, long stream) {
  private static final Buffer[] NONE = {};
  private static final long LARGE = 100L << 20;

  /// From here on the queue is flushed right after a staged copy, so that the memory it was staged
  /// in is soon free again.
  private static final long FLUSH_AT_ONCE = 10L << 20;

  /// Host memory that a copy reads, and how it is given up.
  private record Staged(MemorySegment segment, Runnable release) {}

  void write(Buffer target, long offset, MemorySegment source) {
    Buffer window = windowOf(target, offset, source.byteSize());
    if (window == null) return;
    Fence done = Fence.PASSED;
    slot.enter();
    try {
      boolean mapped = source.isMapped();
      if (slot.queue.isSynchronous() && !isRecording()) {
        put(window, source);
      } else if (source.byteSize() < LARGE || mapped || isRecording()) {
        Staged staged = stage(source);
        putAndKeep(window, staged.segment, staged.release, mapped);
      } else {
        put(window, source);
        done = slot.fence();
      }
    } finally {
      slot.leave();
    }
    done.await();
  }

  void write(Buffer target, long offset, HostBuffer source) {
    MemorySegment segment = source.segment();
    Buffer window = windowOf(target, offset, segment.byteSize());
    if (window == null) return;
    Slice slice = source.handle.hold().slice();
    if (!slice.retain()) throw new IllegalStateException(source + " was closed before");
    slot.enter();
    try {
      if (slot.queue.isSynchronous() && !isRecording()) {
        try {
          put(window, segment);
        } finally {
          slice.unretain();
        }
      } else {
        putAndKeep(window, segment, slice::unretain, false);
      }
    } finally {
      slot.leave();
    }
  }

  void read(Buffer source, long offset, MemorySegment target) {
    Buffer window = windowOf(source, offset, target.byteSize());
    if (window == null) {
      device.check(source.window(offset, 0));
      return;
    }
    Fence done;
    slot.enter();
    try {
      LaunchOutcome outcome =
          slot.execute(
              stream,
              Slot.Inputs.REPORT,
              "read",
              new Buffer[] {window},
              NONE,
              scope -> attempt(scope, queue -> queue.read(scope.resource(window), target)));
      throwUnlessExecuted(outcome, window);
      done = slot.fence();
    } finally {
      slot.leave();
    }
    done.await();
  }

  /// The bytes meant; null when there are none, so that nothing needs to be done.
  private @Nullable Buffer windowOf(Buffer buffer, long offset, long bytes) {
    device.checkOwn(buffer);
    Buffer window = buffer.window(offset, bytes);
    return bytes == 0 ? null : window;
  }

  private boolean isRecording() {
    device.lock();
    try {
      device.checkUsable();
      return slot.isRecording();
    } finally {
      device.unlock();
    }
  }

  /// When pinned memory is short, other host memory does as well, only slower.
  private Staged stage(MemorySegment source) {
    Staged staged = place(source.byteSize());
    try {
      staged.segment.copyFrom(source);
    } catch (RuntimeException e) {
      staged.release.run();
      throw e;
    }
    return staged;
  }

  @SuppressWarnings("MustBeClosedChecker") // closed by the drop queue
  private Staged place(long bytes) {
    try {
      HostBuffer pinned = slot.allocatePinned(bytes);
      return new Staged(pinned.segment(), pinned::close);
    } catch (MemoryException _) {
      Arena arena = Arena.ofShared();
      return new Staged(arena.allocate(bytes, 64), arena::close);
    }
  }

  private void putAndKeep(
      Buffer window, MemorySegment source, Runnable release, boolean flushAtOnce) {
    boolean put = false;
    try {
      put(window, source);
      put = true;
    } finally {
      if (!put) release.run();
    }
    long bytes = source.byteSize();
    slot.keepUntilDone(release, bytes, flushAtOnce || bytes > FLUSH_AT_ONCE);
  }

  private void put(Buffer window, MemorySegment source) {
    LaunchOutcome outcome =
        slot.execute(
            stream,
            Slot.Inputs.SKIP_IF_CLAIMED,
            "write",
            NONE,
            new Buffer[] {window},
            scope -> attempt(scope, queue -> queue.write(source, scope.resource(window))));
    throwUnlessExecuted(outcome, window);
  }

  private void throwUnlessExecuted(LaunchOutcome outcome, Buffer window) {
    switch (outcome) {
      case LaunchOutcome.Executed _, LaunchOutcome.DryRun _ -> {}
      case LaunchOutcome.Skipped _ -> {
        device.check(window);
        throw new WorkException(new WorkFailure.Skip());
      }
      case LaunchOutcome.Failed(WorkFailure.Memory(var failure)) ->
          throw new MemoryException(failure);
      case LaunchOutcome.Failed(var failure) -> throw new WorkException(failure);
    }
  }

  /// Puts a command on the queue; a refusal fails the work.
  static <R> void attempt(ExecuteScope<R> scope, Consumer<CommandQueue<R>> command) {
    try {
      command.accept(scope.queue());
    } catch (WorkException e) {
      scope.fail(e.failure());
    } catch (MemoryException e) {
      scope.fail(new WorkFailure.Memory(e.failure()));
    }
  }
}
