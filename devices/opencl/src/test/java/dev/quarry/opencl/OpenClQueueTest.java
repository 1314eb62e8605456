package dev.quarry.opencl;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.QueueContract;
import org.junit.jupiter.api.BeforeAll;

class OpenClQueueTest extends QueueContract<ClWindow> {
  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<ClWindow> open() {
    return OpenClStorage.open(0);
  }
}
