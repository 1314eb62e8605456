package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.DeviceMemory;
import dev.quarry.storage.SteppedStorage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of host bytes on their way to a device that works later.
class HostCopyTest {
  private final SteppedStorage storage = new SteppedStorage();
  private final Device<MemorySegment> device = Device.open(storage, DeviceMemory.HOST);
  private final DeviceStream<MemorySegment> stream = device.stream(0);
  private final Slot<?> slot = device.slots().getFirst();

  @AfterEach
  void close() {
    device.close();
  }

  private byte firstByte(Buffer buffer) {
    byte[] bytes = new byte[1];
    stream.read(buffer, MemorySegment.ofArray(bytes));
    return bytes[0];
  }

  @Test
  void theSourceMayChangeAsSoonAsWriteReturns() {
    try (Buffer buffer = stream.allocate(4)) {
      byte[] source = {1, 2, 3, 4};
      stream.write(buffer, MemorySegment.ofArray(source));
      source[0] = 9;
      assertThat(slot.drops.staged()).isEqualTo(1);
      assertThat(firstByte(buffer)).isEqualTo((byte) 1);
    }
  }

  @Test
  void manyCopiesAreFlushedSoThatStagedMemoryStaysBounded() {
    try (Buffer buffer = stream.allocate(64)) {
      MemorySegment source = MemorySegment.ofArray(new byte[64]);
      for (int i = 0; i < 1000; i++) {
        stream.write(buffer, source);
        assertThat(slot.drops.staged()).isLessThan(64);
      }
      assertThat(slot.pinned.usage().allocations()).isLessThanOrEqualTo(128);
      device.cleanUp();
      assertThat(slot.pinned.usage().bytesReserved()).isZero();
    }
  }

  @Test
  void largeStagedCopiesAreFlushedAtOnce() {
    try (Buffer buffer = stream.allocate(11 << 20)) {
      stream.write(buffer, MemorySegment.ofArray(new byte[11 << 20]));
      assertThat(slot.drops.staged()).isZero();
      assertThat(slot.drops.awaited()).isNotNull();
    }
  }

  @Test
  void veryLargeCopiesAreNotStagedAndAreWaitedFor() {
    try (Buffer buffer = stream.allocate(100 << 20);
        Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(100 << 20).fill((byte) 5);
      stream.write(buffer, source);
      assertThat(slot.pinned.usage().bytesReserved()).isZero();
      assertThat(storage.pending(0)).isZero();
      source.fill((byte) 6);
      assertThat(firstByte(buffer)).isEqualTo((byte) 5);
    }
  }

  @Test
  void mappedFilesAreAlwaysStagedAndFlushedAtOnce(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("weights"), new byte[] {7, 7, 7, 7});
    try (Buffer buffer = stream.allocate(4);
        Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file)) {
      stream.write(buffer, channel.map(MapMode.READ_ONLY, 0, 4, arena));
      assertThat(slot.drops.staged()).isZero();
      assertThat(slot.drops.awaited()).isNotNull();
      assertThat(firstByte(buffer)).isEqualTo((byte) 7);
    }
  }

  @Test
  void pinnedMemoryIsCopiedFromWhereItIsAndKeptUntilThen() {
    try (Buffer buffer = stream.allocate(4)) {
      HostBuffer pinned = stream.allocatePinned(4);
      pinned.segment().fill((byte) 8);
      stream.write(buffer, 0, pinned);
      pinned.close();
      assertThat(slot.pinned.usage().allocations()).as("a copy still reads it").isEqualTo(1);
      assertThat(firstByte(buffer)).isEqualTo((byte) 8);
      device.cleanUp();
      assertThat(slot.pinned.usage().allocations()).isZero();
    }
  }

  @Test
  void whatIsStagedIsReleasedWhenTheDeviceCloses() {
    Buffer buffer = stream.allocate(4);
    stream.write(buffer, MemorySegment.ofArray(new byte[4]));
    buffer.close();
    device.close();
    assertThat(slot.drops.isEmpty()).isTrue();
  }
}
