package dev.quarry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.layout.Layout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A plan replays only if placement never changes. The sums of the first three traces are also
/// those of CubeCL: all their sizes are multiples of the alignment, so its loss of padding plays no
/// part, and both must place alike.
class PlacementChecksumTest {
  @ParameterizedTest
  @CsvSource({
    "T1, sub-slices, 4d583a9c8821bc25",
    "T1, exclusive-pages, c154613b53e96325",
    "T1, sliced:page=64MiB, a5bc0f5b72641d25",
    "T1, direct, e16c5625ff8f0d25",
    "T2, sub-slices, a7f137813c980740",
    "T2, exclusive-pages, 8fd18ac07473434a",
    "T2, sliced:page=64MiB, e4da673fdd46a7b3",
    "T2, direct, c3401e784a8ad3d5",
    "T6, sub-slices, 4222770d8fe67988",
    "T6, exclusive-pages, fe2e879c344c438b",
    "T6, sliced:page=64MiB, 1d256d461afd807b",
    "T6, direct, 935ff27ef68781bf"
  })
  void placementIsThatOfTheReference(String trace, String layout, String byStorage) {
    assertThat(checksum(trace, layout)).endsWith(" " + byStorage);
  }

  @ParameterizedTest
  @CsvSource({
    "T3, sub-slices, 9351e75c736caf47 1890b0c353fb022c",
    "T3, exclusive-pages, 700d700d50d02998 4f4cc2186074311b",
    "T3, sliced:page=64MiB, 6cdd4a39dc4efccc d3dc18230581258e",
    "T3, direct, 74eb097a82adc805 df864182e95b45fb",
    "T5, sub-slices, 85f6b7d41c489d32 3acffb308223b5e0",
    "T5, exclusive-pages, b2bf570a8ca9bca9 4f3cc78e29096a7c",
    "T5, sliced:page=64MiB, 3865de5503e84517 a5206233d699241d",
    "T5, direct, 795b19d4f1143518 99429c67ed71f184"
  })
  void placementOfUnalignedSizesStaysWhatItIs(String trace, String layout, String sums) {
    assertThat(checksum(trace, layout)).isEqualTo(sums);
  }

  private static String checksum(String trace, String layout) {
    return TraceRunner.run(Ops.generate(trace), Layout.parse(layout), true).checksums().toString();
  }
}
