package dev.quarry.opencl;

import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.storage.Fence;
import org.jspecify.annotations.Nullable;

/// An event behind the commands of a queue. The event is released as soon as its end is known and
/// nobody waits for it any more, so that fences need not be closed.
final class ClFence implements Fence {
  private final OpenCl cl;
  private final long event;
  private final long size;
  private int waiting;
  private boolean settled;
  private boolean released;
  private @Nullable WorkFailure failure;

  /// @param size the bytes that the commands before it touch
  ClFence(OpenCl cl, long event, long size) {
    this.cl = cl;
    this.event = event;
    this.size = size;
  }

  @Override
  public boolean isPassed() {
    if (!isSettled()) return false;
    report();
    return true;
  }

  @Override
  public void await() {
    if (!beginWaiting()) {
      report();
      return;
    }
    try {
      cl.await(event);
    } catch (ClException e) {
      throw e.ofWork(size);
    } finally {
      endWaiting();
    }
    isPassed();
  }

  /// Whether the event still has to be waited for; if so, it is kept until [#endWaiting].
  private synchronized boolean beginWaiting() {
    if (settled) return false;
    waiting++;
    return true;
  }

  private synchronized void endWaiting() {
    waiting--;
    releaseIfUnused();
  }

  /// Whether it is known how the commands ended; asks the driver if not.
  synchronized boolean isSettled() {
    if (settled) return true;
    int status;
    try {
      status = cl.status(event);
    } catch (ClException e) {
      throw e.ofWork(size);
    }
    if (status > 0) return false;
    if (status < 0)
      failure =
          ClStatus.ofWork(status, "work on the device ended with " + ClStatus.text(status), size);
    settled = true;
    releaseIfUnused();
    return true;
  }

  /// Settles it, its queue having finished. A driver that does not say how the commands ended lost
  /// them.
  synchronized void settle() {
    try {
      if (isSettled()) return;
      failure = new WorkFailure.Generic("the queue was closed before its work was done");
    } catch (WorkException e) {
      failure = e.failure();
    }
    settled = true;
    releaseIfUnused();
  }

  /// Makes a queue wait, unless there is nothing to wait for any more.
  synchronized void holdUp(long queue) {
    if (!settled) cl.waitFor(queue, event);
  }

  private void releaseIfUnused() {
    if (!settled || waiting > 0 || released) return;
    released = true;
    try {
      cl.releaseEvent(event);
    } catch (ClException e) {
      // The work went as it went: whoever asks about it is not helped by this.
    }
  }

  private synchronized void report() {
    if (failure != null) throw new WorkException(failure);
  }
}
