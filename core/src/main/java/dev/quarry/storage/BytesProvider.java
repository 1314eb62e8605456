package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.util.List;
import java.util.OptionalLong;

/// Offers [BytesStorage], which is everywhere.
public final class BytesProvider implements StorageProvider {
  /// Made by the service loader.
  public BytesProvider() {}

  @Override
  public String name() {
    return "bytes";
  }

  @Override
  public Availability probe() {
    return new Availability.Available(
        List.of(
            new DeviceInfo(
                "host memory of the JVM",
                BytesStorage.ALIGNMENT,
                Long.MAX_VALUE,
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of("needs no native access"))));
  }

  @Override
  public Storage<?> open(int device) {
    if (device != 0)
      throw new MemoryException(new MemoryFailure.Unknown("no device bytes:" + device));
    return new BytesStorage();
  }
}
