package dev.quarry.replay;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import java.util.Optional;

/// Fills pages of a storage, so that a driver that allocates late does so now.
final class PageToucher<R> implements AutoCloseable {
  private final Storage<R> storage;
  private final CommandQueue<R> queue;

  PageToucher(Storage<R> storage) {
    this.storage = storage;
    this.queue = storage.openQueue();
  }

  /// Fills a page and waits for it.
  ///
  /// @return why the device could not, if it could not
  Optional<MemoryFailure> touch(Region page) {
    try {
      queue.fill(storage.get(page), (byte) 0);
      queue.fence().await();
      return Optional.empty();
    } catch (MemoryException e) {
      return Optional.of(e.failure());
    } catch (WorkException e) {
      return Optional.of(
          e.failure() instanceof WorkFailure.Memory memory
              ? memory.failure()
              : new MemoryFailure.Unknown(e.failure().message()));
    }
  }

  @Override
  public void close() {
    queue.close();
  }
}
