package dev.quarry.host;

import dev.quarry.storage.Storage;
import dev.quarry.testkit.DeviceContract;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class MappedFileStorageDeviceTest extends DeviceContract<MemorySegment> {
  @TempDir static Path directory;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return MappedFileStorage.open(directory, capacity);
  }
}
