package dev.quarry.cuda;

import dev.quarry.failure.WorkException;
import dev.quarry.storage.EventFence;
import dev.quarry.storage.Fence;
import org.jspecify.annotations.Nullable;

/// An event behind the commands of a stream.
final class CudaFence extends EventFence {
  private final CudaContext context;
  private final long event;
  private final long size;

  private CudaFence(CudaContext context, long event, long size) {
    this.context = context;
    this.event = event;
    this.size = size;
  }

  /// Records an event on a stream.
  ///
  /// @param size the bytes that the commands before it touch
  static CudaFence on(CudaContext context, long stream, long size) {
    Cuda cuda = context.cuda();
    long event =
        context.get(
            () -> {
              long made = cuda.createEvent();
              try {
                cuda.record(made, stream);
                return made;
              } catch (CuException e) {
                destroy(cuda, made);
                throw e;
              }
            });
    return new CudaFence(context, event, size);
  }

  private static void destroy(Cuda cuda, long event) {
    try {
      cuda.destroyEvent(event);
    } catch (CuException e) {
      // The work went as it went: whoever asks about it is not helped by this.
    }
  }

  boolean isOf(CudaContext other) {
    return context.handle() == other.handle();
  }

  /// Errors of the work show here, too. They are for good: the context is lost.
  @Override
  protected @Nullable Ended poll() {
    try {
      return context.get(() -> context.cuda().isPassed(event) ? 1 : 0) == 0
          ? null
          : new Ended(null);
    } catch (CuException e) {
      if (e.isLost()) return new Ended(e.failure(size));
      throw e.ofWork(size);
    }
  }

  @Override
  protected void block() {
    try {
      context.run(() -> context.cuda().await(event));
    } catch (CuException e) {
      if (!e.isLost()) throw e.ofWork(size);
    }
  }

  @Override
  protected void release() {
    try {
      context.run(() -> destroy(context.cuda(), event));
    } catch (CuException e) {
      // The context is lost, and its events with it.
    }
  }

  /// Makes a stream wait.
  void holdUp(long stream) {
    ifUnsettled(() -> context.run(() -> context.cuda().waitFor(stream, event)));
  }

  /// The same point as a fence for memory: one that is passed when nothing before it uses memory
  /// any more. A driver that does not answer has not said so.
  Fence ofMemory() {
    return new Fence() {
      @Override
      public boolean isPassed() {
        try {
          return isSettled();
        } catch (WorkException e) {
          return false;
        }
      }

      @Override
      public void await() {
        CudaFence.this.await();
      }
    };
  }
}
