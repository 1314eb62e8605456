package dev.quarry.testkit;

import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;

class BytesStorageQueueTest extends QueueContract<MemorySegment> {
  @Override
  protected Storage<MemorySegment> open() {
    return new BytesStorage();
  }
}
