package dev.quarry.host;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.QueueContract;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeAll;

class VirtualStorageQueueTest extends QueueContract<MemorySegment> {
  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open() {
    return VirtualStorage.open(VirtualOptions.ofMachine());
  }
}
