package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.UnsupportedOperation;
import java.lang.foreign.MemorySegment;

/// The commands of one stream of a device, run in the order in which they were put here. What a
/// backend implements beside its [Storage] so that a device can do work.
///
/// Threads: one thread at a time calls a queue, at the same time as others call the storage and
/// other queues. Fences may be waited for from anywhere.
///
/// Memory: a resource stays reserved until the command that names it is done, and so do the
/// segments of [#write] and [#read]; whoever puts the command here sees to that. A storage keeps an
/// allocation that was given back until commands put on its queues before are done. Heap segments
/// are legal: a queue whose device can not reach them copies them, and may block to do so.
///
/// Errors: a command that the device refuses at once throws, and nothing was put on the queue. What
/// goes wrong later is reported by the fences behind it.
///
/// @param <R> the storage's resource type
public interface CommandQueue<R> extends AutoCloseable {
  /// Whether each command is done when its method returns, so that nobody ever needs to wait.
  boolean isSynchronous();

  /// Copies host bytes into a resource of the same size.
  void write(MemorySegment source, R target);

  /// Copies a resource into host bytes of the same size.
  void read(R source, MemorySegment target);

  /// Copies one resource into another of the same size. Undefined where they overlap.
  void copy(R source, R target);

  /// Sets every byte of a resource.
  void fill(R target, byte value);

  /// Runs host code in the order of the queue. It must be quick and must not call the device.
  ///
  /// @throws MemoryException with [UnsupportedOperation] where the backend can not
  default void run(Runnable work) {
    throw unsupported("host code in the order of a queue");
  }

  /// A fence behind everything put here so far.
  Fence fence();

  /// Makes what is put here from now on wait, on the device, until a fence of another queue of the
  /// same storage is passed. Does not block the caller.
  void waitFor(Fence fence);

  /// Begins to record: commands are kept and not run until [#endRecording] or [#dropRecording].
  ///
  /// @throws MemoryException with [UnsupportedOperation] where the backend can not
  default void beginRecording() {
    throw unsupported("graph capture");
  }

  /// Ends the recording.
  ///
  /// @throws dev.quarry.failure.WorkException when the device can not replay what was recorded; the
  ///   recording has ended all the same
  default Recording endRecording() {
    throw unsupported("graph capture");
  }

  /// Ends the recording and forgets it.
  default void dropRecording() {}

  /// Gives the queue up. Called when everything put here is done.
  @Override
  void close();

  private static MemoryException unsupported(String operation) {
    return new MemoryException(new UnsupportedOperation(operation));
  }
}
