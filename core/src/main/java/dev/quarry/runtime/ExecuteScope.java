package dev.quarry.runtime;

import dev.quarry.failure.WorkFailure;
import dev.quarry.storage.CommandQueue;
import org.jspecify.annotations.Nullable;

/// What a launch's body works with. Valid while the body runs, and only on its thread.
///
/// A slot has one scope, because it runs one command at a time; so a launch that succeeds makes no
/// garbage.
///
/// @param <R> the storage's resource type
public final class ExecuteScope<R> {
  private final Slot<R> slot;
  private Buffer[] reads = {};
  private Buffer[] writes = {};
  private @Nullable Thread thread;
  private @Nullable WorkFailure failure;

  ExecuteScope(Slot<R> slot) {
    this.slot = slot;
  }

  void open(Buffer[] reads, Buffer[] writes) {
    this.reads = reads;
    this.writes = writes;
    this.failure = null;
    this.thread = Thread.currentThread();
  }

  /// Ends the scope.
  ///
  /// @return what its body said went wrong
  @Nullable WorkFailure close() {
    thread = null;
    return failure;
  }

  /// A buffer's window as the storage's resource.
  ///
  /// @throws IllegalArgumentException when the launch does not name this buffer
  public R resource(Buffer buffer) {
    checkOpen();
    if (!named(buffer, reads) && !named(buffer, writes)) {
      throw new IllegalArgumentException(
          buffer + " is not among those that the launch says it reads or writes");
    }
    return resourceOf(buffer);
  }

  /// For buffers of this device, whose resources have this type.
  @SuppressWarnings({"unchecked", "NullAway"})
  R resourceOf(Buffer buffer) {
    return (R) buffer.resource;
  }

  private static boolean named(Buffer buffer, Buffer[] among) {
    for (Buffer each : among) {
      if (each == buffer) return true;
    }
    return false;
  }

  /// The stream's queue, to put commands on. Backends' queues offer more than the interface.
  public CommandQueue<R> queue() {
    checkOpen();
    return slot.queue;
  }

  /// Says that the work failed. The first failure counts.
  public void fail(WorkFailure why) {
    checkOpen();
    if (failure == null) failure = why;
  }

  private void checkOpen() {
    if (thread != Thread.currentThread())
      throw new IllegalStateException("this scope is not that of a launch running on this thread");
  }
}
