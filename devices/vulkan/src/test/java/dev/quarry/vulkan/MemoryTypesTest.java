package dev.quarry.vulkan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.vulkan.MemoryTypes.Heap;
import dev.quarry.vulkan.VulkanOptions.Use;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which memory is taken, on devices as drivers describe them. Letters stand for
/// `VK_MEMORY_PROPERTY_…`: D device-local, V host-visible, C coherent, K cached, L lazily
/// allocated, P protected, A and U AMD's device-coherent and uncached.
class MemoryTypesTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  /// @param types heap and letters of each type
  /// @param heaps size in MiB, with D for the device's own
  /// @param device the order of types for the device's work
  /// @param upload the order for bytes that the host writes
  /// @param readback the order for bytes that the host reads
  private enum Known {
    NVIDIA_WITH_A_SMALL_WINDOW(
        List.of("1", "1", "0D", "1VC", "1VCK", "2DVC"),
        List.of("24576D", "64000", "214D"),
        List.of(2, 5, 0, 1, 3, 4),
        List.of(3, 4, 5),
        List.of(4, 3, 5)),
    NVIDIA_WITH_A_RESIZABLE_BAR(
        List.of("1", "0D", "1VC", "1VCK", "0DVC"),
        List.of("24576D", "64000"),
        List.of(4, 1, 0, 2, 3),
        List.of(2, 4, 3),
        List.of(3, 2, 4)),
    AMD_WITH_A_SMALL_WINDOW(
        List.of("0D", "1VC", "2DVC", "1VCK", "0DAU", "1VCAU", "2DVCAU", "1VCKAU"),
        List.of("7936D", "32000", "256D"),
        List.of(0, 2, 1, 3),
        List.of(1, 3, 2),
        List.of(3, 1, 2)),
    AMD_WITH_A_RESIZABLE_BAR(
        List.of("0D", "1VC", "0DVC", "1VCK"),
        List.of("16368D", "32000"),
        List.of(2, 0, 1, 3),
        List.of(1, 2, 3),
        List.of(3, 1, 2)),
    INTEL_INTEGRATED(
        List.of("0D", "0DVC", "0DVCK"),
        List.of("12000D"),
        List.of(1, 2, 0),
        List.of(1, 2),
        List.of(2, 1)),
    A_PHONE(
        List.of("0D", "0DVC", "0DVK", "0DL", "0DP"),
        List.of("8000D"),
        List.of(1, 2, 0),
        List.of(1, 2),
        List.of(2, 1)),
    LAVAPIPE(List.of("0DVCK"), List.of("2048D"), List.of(0), List.of(0), List.of(0));

    final MemoryTypes types;
    final List<Integer> device;
    final List<Integer> upload;
    final List<Integer> readback;

    Known(
        List<String> types,
        List<String> heaps,
        List<Integer> device,
        List<Integer> upload,
        List<Integer> readback) {
      this.types =
          new MemoryTypes(
              types.stream().map(Known::type).toList(), heaps.stream().map(Known::heap).toList());
      this.device = device;
      this.upload = upload;
      this.readback = readback;
    }

    private static MemoryTypes.Type type(String text) {
      int flags = 0;
      for (char letter : text.substring(1).toCharArray())
        flags |=
            switch (letter) {
              case 'D' -> 1;
              case 'V' -> 2;
              case 'C' -> 4;
              case 'K' -> 8;
              case 'L' -> 16;
              case 'P' -> 32;
              case 'A' -> 64;
              case 'U' -> 128;
              default -> throw new IllegalArgumentException(text);
            };
      return new MemoryTypes.Type(text.charAt(0) - '0', flags);
    }

    private static Heap heap(String text) {
      boolean own = text.endsWith("D");
      return new Heap(Long.parseLong(text.replace("D", "")) * MIB, own);
    }

    List<Integer> candidates(Use use) {
      return types.candidates(use, -1, whole(), MIB);
    }

    List<Long> whole() {
      return types.heaps().stream().map(Heap::size).toList();
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachUseGetsTheMemoryThatServesItBest(Known known) {
    assertThat(known.candidates(Use.DEVICE)).isEqualTo(known.device);
    assertThat(known.candidates(Use.UPLOAD)).isEqualTo(known.upload);
    assertThat(known.candidates(Use.READBACK)).isEqualTo(known.readback);
  }

  @ParameterizedTest
  @EnumSource
  void aTypeThatTheBufferCanNotBeBoundToIsNotTaken(Known known) {
    for (Use use : Use.values()) {
      int best = known.candidates(use).getFirst();
      List<Integer> others = new ArrayList<>(known.candidates(use));
      others.removeFirst();
      assertThat(known.types.candidates(use, ~(1 << best), known.whole(), MIB)).isEqualTo(others);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHeapWhoseBudgetIsSpentComesLastAndOneThatIsTooSmallNever(Known known) {
    for (Use use : Use.values()) {
      List<Integer> order = known.candidates(use);
      int first = known.types.types().get(order.getFirst()).heap();
      List<Long> left = new ArrayList<>(known.whole());
      left.set(first, MIB - 1);
      List<Integer> expected = new ArrayList<>();
      for (int type : order) if (known.types.types().get(type).heap() != first) expected.add(type);
      for (int type : order) if (known.types.types().get(type).heap() == first) expected.add(type);
      assertThat(known.types.candidates(use, -1, left, MIB)).isEqualTo(expected);
      assertThat(known.types.candidates(use, -1, known.whole(), 1L << 45)).isEmpty();
      assertThat(known.types.candidates(use, -1, known.whole(), 3 * GIB))
          .allSatisfy(
              type ->
                  assertThat(known.types.heaps().get(known.types.types().get(type).heap()).size())
                      .isGreaterThanOrEqualTo(3 * GIB));
    }
  }
}
