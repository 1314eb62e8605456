package dev.quarry.testkit;

import dev.quarry.storage.SteppedStorage;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;

class SteppedStorageQueueTest extends QueueContract<MemorySegment> {
  @Override
  protected Storage<MemorySegment> open() {
    return new SteppedStorage();
  }
}
