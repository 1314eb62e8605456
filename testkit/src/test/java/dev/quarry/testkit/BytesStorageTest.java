package dev.quarry.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class BytesStorageTest extends StorageContract<MemorySegment> {
  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return new BytesStorage(capacity);
  }

  @Override
  protected void write(MemorySegment resource, byte[] bytes) {
    resource.copyFrom(MemorySegment.ofArray(bytes));
  }

  @Override
  protected byte[] read(MemorySegment resource) {
    return resource.toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void addressesAreAligned() {
    try (BytesStorage storage = new BytesStorage()) {
      for (long size : new long[] {0, 1, 63, 65, 5000, 40_000, 1 << 20}) {
        StorageId id = storage.allocate(size);
        MemorySegment bytes = storage.get(new Region(id, 0, size));
        assertThat(bytes.address() % storage.alignment()).as("%d bytes", size).isZero();
        assertThat(bytes.address()).isNotZero();
      }
    }
  }

  @Test
  void segmentsOfAClosedStorageThrowInsteadOfCrashing() {
    MemorySegment kept;
    try (BytesStorage storage = new BytesStorage()) {
      kept = storage.get(new Region(storage.allocate(100), 0, 100));
    }
    assertThatThrownBy(() -> kept.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMachineWithoutRoomIsOutOfMemoryAndNotAnError() {
    try (BytesStorage storage = new BytesStorage()) {
      assertThatThrownBy(() -> storage.allocate(1L << 60)).hasMessageContaining("no room for");
      assertThat(storage.bytesAllocated()).isZero();
    }
  }
}
