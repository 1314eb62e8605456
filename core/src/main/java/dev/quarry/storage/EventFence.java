package dev.quarry.storage;

import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import org.jspecify.annotations.Nullable;

/// A fence that is an event of a driver. The event is released as soon as its end is known and
/// nobody waits for it any more, so that fences need not be closed. For storages over drivers that
/// have such events.
public abstract class EventFence implements Fence {
  private int waiting;
  private boolean released;
  private @Nullable Ended ended;

  /// How the work before an event ended.
  ///
  /// @param failure why it failed; null when it did not
  public record Ended(@Nullable WorkFailure failure) {}

  /// An event that was put on a queue.
  protected EventFence() {}

  /// Asks how the work before the event ended, without blocking. The fence calls it on one thread
  /// at a time, and not after it answered.
  ///
  /// @return null while the work goes on
  /// @throws WorkException when the driver does not say
  protected abstract @Nullable Ended poll();

  /// Waits for the event. Called on any number of threads at once, and never after [#release].
  ///
  /// @throws WorkException when the driver refuses to wait
  protected abstract void block();

  /// Gives the event back. Called once. What the driver says to it is of no use to anybody.
  protected abstract void release();

  @Override
  public final boolean isPassed() {
    if (!isSettled()) return false;
    report();
    return true;
  }

  @Override
  public final void await() {
    if (beginWaiting()) {
      try {
        block();
      } finally {
        endWaiting();
      }
      isSettled();
    }
    report();
  }

  /// Whether the event still has to be waited for; if so, it is kept until [#endWaiting].
  private synchronized boolean beginWaiting() {
    if (ended != null) return false;
    waiting++;
    return true;
  }

  private synchronized void endWaiting() {
    waiting--;
    releaseIfUnused();
  }

  /// Whether it is known how the work ended; asks the driver if not.
  ///
  /// @throws WorkException when the driver does not say
  public final synchronized boolean isSettled() {
    if (ended != null) return true;
    ended = poll();
    releaseIfUnused();
    return ended != null;
  }

  /// Settles it, its queue having finished. A driver that does not say how the work ended lost it.
  public final synchronized void settle() {
    try {
      if (isSettled()) return;
      ended = new Ended(new WorkFailure.Generic("the queue was closed before its work was done"));
    } catch (WorkException e) {
      ended = new Ended(e.failure());
    }
    releaseIfUnused();
  }

  /// Runs code that names the event, such as a wait of another queue, unless there is nothing to
  /// wait for any more.
  public final synchronized void ifUnsettled(Runnable code) {
    if (ended == null) code.run();
  }

  private void releaseIfUnused() {
    if (ended == null || waiting > 0 || released) return;
    released = true;
    release();
  }

  private synchronized void report() {
    if (ended != null && ended.failure() != null) throw new WorkException(ended.failure());
  }
}
