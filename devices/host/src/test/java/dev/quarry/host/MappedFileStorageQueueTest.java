package dev.quarry.host;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.QueueContract;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class MappedFileStorageQueueTest extends QueueContract<MemorySegment> {
  @TempDir static Path directory;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open() {
    return MappedFileStorage.open(directory, Long.MAX_VALUE);
  }
}
