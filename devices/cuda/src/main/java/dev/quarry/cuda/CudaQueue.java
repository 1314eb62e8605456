package dev.quarry.cuda;

import dev.quarry.failure.WorkException;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Fence;
import dev.quarry.storage.HeapStaging;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/// A `CUstream`. Fences are events.
///
/// The body of a launch gets it as the scope's queue, and puts its own kernels on [#stream].
///
/// Copies of heap segments return when they are done, and go by way of a megabyte of native memory.
/// Those of native segments return when the driver says so: at once for memory of
/// [CudaStorage#openPinned], and as a rule later for other memory.
///
/// Threads: one at a time; fences may be waited for from anywhere, also after [#close].
///
/// Errors: what kernels or copies do wrong is found by a later call, and for good: the context can
/// do nothing any more, and every fence that was not passed reports it.
public final class CudaQueue implements CommandQueue<CudaWindow> {
  private final CudaContext context;
  private final Cuda cuda;
  private final long stream;
  private final Consumer<CudaQueue> onClose;
  private final HeapStaging staging = new HeapStaging();

  /// Oldest first. The stream runs in order, so they pass in order.
  private final ArrayDeque<CudaFence> open = new ArrayDeque<>();

  /// The bytes that commands since the last fence touch.
  private long touched;

  private boolean closed;

  /// Guards the stream against the storage's thread, which puts events on it.
  private final Object destroying = new Object();

  private boolean destroyed;

  CudaQueue(CudaContext context, Consumer<CudaQueue> onClose) {
    this.context = context;
    this.cuda = context.cuda();
    this.onClose = onClose;
    this.stream = context.get(cuda::createStream);
  }

  /// The `CUstream`. Kernels put on it run in the order of this queue.
  public long stream() {
    return stream;
  }

  @Override
  public boolean isSynchronous() {
    return false;
  }

  @Override
  public void write(MemorySegment source, CudaWindow target) {
    checkSame(source.byteSize(), target.size());
    if (source.isNative()) {
      command(target.size(), () -> cuda.write(stream, source, target.address()));
      return;
    }
    staging.write(
        source,
        (staged, at) ->
            now(staged.byteSize(), () -> cuda.write(stream, staged, target.address() + at)));
  }

  @Override
  public void read(CudaWindow source, MemorySegment target) {
    checkSame(source.size(), target.byteSize());
    if (target.isNative()) {
      command(source.size(), () -> cuda.read(stream, source.address(), target));
      return;
    }
    staging.read(
        target,
        (staged, at) ->
            now(staged.byteSize(), () -> cuda.read(stream, source.address() + at, staged)));
  }

  @Override
  public void copy(CudaWindow source, CudaWindow target) {
    checkSame(source.size(), target.size());
    command(
        source.size(), () -> cuda.copy(stream, source.address(), target.address(), source.size()));
  }

  @Override
  public void fill(CudaWindow target, byte value) {
    command(target.size(), () -> cuda.fill(stream, target.address(), value, target.size()));
  }

  private static void checkSame(long source, long target) {
    if (source != target)
      throw new IllegalArgumentException(
          "a copy of " + source + " bytes to " + target + " bytes: they must be as many");
  }

  /// Runs on a thread of the driver. An exception goes to the thread's handler.
  @Override
  public void run(Runnable work) {
    long number = HostFunctions.add(work);
    try {
      context.run(() -> cuda.callOn(stream, HostFunctions.function(), number));
    } catch (CuException e) {
      HostFunctions.drop(number);
      throw e.ofWork(0);
    }
  }

  private void command(long size, Runnable call) {
    if (size == 0) return;
    try {
      context.run(call);
    } catch (CuException e) {
      throw e.ofWork(size);
    }
    touched += size;
  }

  /// A command that is done when this returns.
  private void now(long size, Runnable call) {
    command(size, call);
    try {
      context.run(() -> cuda.synchronizeStream(stream));
    } catch (CuException e) {
      throw e.ofWork(size);
    }
  }

  @Override
  public Fence fence() {
    while (!open.isEmpty() && hasEnded(open.getFirst())) open.removeFirst();
    try {
      CudaFence fence = CudaFence.on(context, stream, touched);
      open.add(fence);
      touched = 0;
      return fence;
    } catch (CuException e) {
      throw e.ofWork(touched);
    }
  }

  /// A fence for memory, behind everything put here so far. For the storage's thread. Where the
  /// driver gives none, memory waits until the queue is closed.
  Fence behindEverything() {
    synchronized (destroying) {
      if (destroyed) return Fence.PASSED;
      try {
        return CudaFence.on(context, stream, 0).ofMemory();
      } catch (CuException e) {
        return new Fence() {
          @Override
          public boolean isPassed() {
            synchronized (destroying) {
              return destroyed || e.isLost();
            }
          }

          @Override
          public void await() {}
        };
      }
    }
  }

  /// A fence that can not be asked stays until the queue is closed.
  private static boolean hasEnded(CudaFence fence) {
    try {
      return fence.isSettled();
    } catch (WorkException e) {
      return false;
    }
  }

  @Override
  public void waitFor(Fence fence) {
    if (!(fence instanceof CudaFence event) || !event.isOf(context)) {
      fence.await();
      return;
    }
    try {
      event.holdUp(stream);
    } catch (CuException e) {
      throw e.ofWork(0);
    }
  }

  /// Waits until the commands are done, and destroys the stream and its events. Closing again does
  /// nothing.
  ///
  /// @throws dev.quarry.failure.MemoryException when the driver does not take the stream back
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    onClose.accept(this);
    try {
      context.run(() -> cuda.synchronizeStream(stream));
    } catch (CuException e) {
      // A context that is lost: its fences say so below.
    }
    open.forEach(CudaFence::settle);
    open.clear();
    synchronized (destroying) {
      destroyed = true;
      try {
        context.run(() -> cuda.destroyStream(stream));
      } catch (CuException e) {
        throw e.ofRelease();
      }
    }
  }
}
