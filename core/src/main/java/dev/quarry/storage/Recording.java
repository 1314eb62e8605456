package dev.quarry.storage;

/// Commands that a [CommandQueue] kept instead of running them, to be run as often as wanted.
public interface Recording extends AutoCloseable {
  /// Puts the commands, in the order recorded, on the queue that recorded them.
  ///
  /// @throws dev.quarry.failure.WorkException when the device refuses
  void replay();

  /// Forgets the commands. Called when no replay is on the queue any more.
  @Override
  void close();
}
