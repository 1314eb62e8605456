package dev.quarry.runtime;

/// Does the work of a launch: runs it, or puts commands on the stream's queue.
///
/// Called on the launching thread, without the device's lock. It may allocate and close buffers,
/// and must not issue commands of its own to the device. It says that it failed with
/// [ExecuteScope#fail]; an exception it throws passes through to the caller, and what it was to
/// write stays claimed as torn down.
///
/// @param <R> the storage's resource type
/// @param <E> the checked exception it may throw
@FunctionalInterface
public interface LaunchBody<R, E extends Exception> {
  /// Does the work.
  void run(ExecuteScope<R> scope) throws E;
}
