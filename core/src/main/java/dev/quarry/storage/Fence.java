package dev.quarry.storage;

/// A point in the order of a [CommandQueue]: passed when everything put on the queue before it is
/// done. What a backend calls an event or a semaphore.
///
/// Both methods may be called from any thread, also at once, and also after the queue was closed.
public interface Fence {
  /// A fence that everybody has passed.
  Fence PASSED =
      new Fence() {
        @Override
        public boolean isPassed() {
          return true;
        }

        @Override
        public void await() {}
      };

  /// Whether the work before it is done. Never blocks.
  ///
  /// @throws dev.quarry.failure.WorkException when that work ended with an error of the device
  boolean isPassed();

  /// Blocks until the work before it is done.
  ///
  /// @throws dev.quarry.failure.WorkException when that work ended with an error of the device
  void await();
}
