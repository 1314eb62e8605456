package dev.quarry.opencl;

import dev.quarry.storage.EventFence;
import org.jspecify.annotations.Nullable;

/// An event behind the commands of a queue.
final class ClFence extends EventFence {
  private final OpenCl cl;
  private final long event;
  private final long size;

  /// @param size the bytes that the commands before it touch
  ClFence(OpenCl cl, long event, long size) {
    this.cl = cl;
    this.event = event;
    this.size = size;
  }

  @Override
  protected @Nullable Ended poll() {
    int status;
    try {
      status = cl.status(event);
    } catch (ClException e) {
      throw e.ofWork(size);
    }
    if (status > 0) return null;
    String reason = "work on the device ended with " + ClStatus.text(status);
    return new Ended(status == 0 ? null : ClStatus.ofWork(status, reason, size));
  }

  @Override
  protected void block() {
    try {
      cl.await(event);
    } catch (ClException e) {
      throw e.ofWork(size);
    }
  }

  @Override
  protected void release() {
    try {
      cl.releaseEvent(event);
    } catch (ClException e) {
      // The work went as it went: whoever asks about it is not helped by this.
    }
  }

  /// Makes a queue wait.
  void holdUp(long queue) {
    ifUnsettled(() -> cl.waitFor(queue, event));
  }
}
