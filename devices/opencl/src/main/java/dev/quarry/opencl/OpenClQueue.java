package dev.quarry.opencl;

import dev.quarry.failure.WorkException;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import dev.quarry.storage.HeapStaging;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/// An in-order `cl_command_queue`. Fences are events.
///
/// The body of a launch gets it as the scope's queue, and puts its own kernels on [#handle].
///
/// Copies of heap segments return when they are done, and go by way of a megabyte of native memory:
/// one that is refused may have moved its first megabytes. Those of native segments return at once.
///
/// Threads: one at a time; fences may be waited for from anywhere, also after [#close].
///
/// Errors: a refusal for want of memory is [dev.quarry.failure.WorkFailure.Memory], at once or by
/// the fence behind it; drivers that allocate when memory is first used refuse that late.
public final class OpenClQueue implements CommandQueue<ClWindow> {
  private final OpenCl cl;
  private final long handle;

  /// Oldest first. The queue runs in order, so they pass in order.
  private final ArrayDeque<ClFence> open = new ArrayDeque<>();

  /// The bytes that commands since the last fence touch.
  private long touched;

  private final HeapStaging staging = new HeapStaging();
  private boolean closed;

  OpenClQueue(OpenCl cl, long handle) {
    this.cl = cl;
    this.handle = handle;
  }

  /// The `cl_command_queue`. Kernels put on it run in the order of this queue.
  public long handle() {
    return handle;
  }

  @Override
  public boolean isSynchronous() {
    return false;
  }

  @Override
  public void write(MemorySegment source, ClWindow target) {
    checkSame(source.byteSize(), target.size());
    if (source.isNative()) {
      command(target.size(), () -> cl.write(handle, source, target.buffer(), target.offset()));
      return;
    }
    staging.write(
        source,
        (staged, at) ->
            now(
                staged.byteSize(),
                () -> cl.write(handle, staged, target.buffer(), target.offset() + at)));
  }

  @Override
  public void read(ClWindow source, MemorySegment target) {
    checkSame(source.size(), target.byteSize());
    if (target.isNative()) {
      command(source.size(), () -> cl.read(handle, source.buffer(), source.offset(), target));
      return;
    }
    staging.read(
        target,
        (staged, at) ->
            now(
                staged.byteSize(),
                () -> cl.read(handle, source.buffer(), source.offset() + at, staged)));
  }

  @Override
  public void copy(ClWindow source, ClWindow target) {
    checkSame(source.size(), target.size());
    command(
        source.size(),
        () ->
            cl.copy(
                handle,
                source.buffer(),
                source.offset(),
                target.buffer(),
                target.offset(),
                source.size()));
  }

  @Override
  public void fill(ClWindow target, byte value) {
    command(
        target.size(),
        () -> cl.fill(handle, target.buffer(), target.offset(), target.size(), value));
  }

  private static void checkSame(long source, long target) {
    if (source != target)
      throw new IllegalArgumentException(
          "a copy of " + source + " bytes to " + target + " bytes: they must be as many");
  }

  /// Puts a command here; OpenCL has none for no bytes.
  private void command(long size, Runnable call) {
    if (size == 0) return;
    try {
      call.run();
    } catch (ClException e) {
      throw e.ofWork(size);
    }
    touched += size;
  }

  /// A command that is done when this returns.
  private void now(long size, Runnable call) {
    command(size, call);
    try {
      cl.finish(handle);
    } catch (ClException e) {
      throw e.ofWork(size);
    }
  }

  /// An event; the commands before it are handed to the device.
  @Override
  public Fence fence() {
    while (!open.isEmpty() && hasEnded(open.getFirst())) open.removeFirst();
    try {
      ClFence fence = new ClFence(cl, cl.marker(handle), touched);
      open.add(fence);
      touched = 0;
      cl.flush(handle);
      return fence;
    } catch (ClException e) {
      throw e.ofWork(touched);
    }
  }

  /// A fence that can not be asked stays until the queue is closed.
  private static boolean hasEnded(ClFence fence) {
    try {
      return fence.isSettled();
    } catch (WorkException e) {
      return false;
    }
  }

  @Override
  public void waitFor(Fence fence) {
    if (!(fence instanceof ClFence event)) {
      fence.await();
      return;
    }
    try {
      event.holdUp(handle);
    } catch (ClException e) {
      throw e.ofWork(0);
    }
  }

  /// Waits until the commands are done, and releases the queue and its events. Closing again does
  /// nothing.
  ///
  /// @throws dev.quarry.failure.MemoryException when the driver does not take the queue back
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    try {
      cl.finish(handle);
    } catch (ClException e) {
      // A device that is lost: its fences say so below.
    }
    open.forEach(ClFence::settle);
    open.clear();
    try {
      cl.releaseQueue(handle);
    } catch (ClException e) {
      throw e.ofRelease();
    }
  }
}
