package dev.quarry.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapStagingTest {
  private static final int MIB = 1 << 20;

  private final HeapStaging staging = new HeapStaging();
  private final List<Long> sizes = new ArrayList<>();

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new SplittableRandom(size).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 17})
  void everyByteGoesThroughNativeMemoryOnceAMegabyteAtATime(int size) {
    byte[] bytes = random(size);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment resource = arena.allocate(size, 1);
      staging.write(
          MemorySegment.ofArray(bytes),
          (staged, offset) -> {
            assertThat(staged.isNative()).isTrue();
            sizes.add(staged.byteSize());
            resource.asSlice(offset, staged.byteSize()).copyFrom(staged);
          });
      assertThat(resource.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
      assertThat(sizes).hasSize(Math.ceilDiv(size, MIB)).allMatch(each -> each <= MIB);

      byte[] again = new byte[size];
      staging.read(
          MemorySegment.ofArray(again),
          (staged, offset) -> staged.copyFrom(resource.asSlice(offset, staged.byteSize())));
      assertThat(again).isEqualTo(bytes);
    }
  }
}
