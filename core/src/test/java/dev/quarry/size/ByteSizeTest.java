package dev.quarry.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "1024, 1KiB",
    "1023, 1023",
    "67108864, 64MiB",
    "1610612736, 1536MiB",
    "9223372036854775807, 9223372036854775807",
    "1152921504606846976, 1EiB"
  })
  void printsExactly(long bytes, String text) {
    assertThat(new ByteSize(bytes)).hasToString(text);
    assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource({"1.5 GiB, 1610612736", "64mib, 67108864", "4096B, 4096", "' 7 ', 7", "0.5KiB, 512"})
  void readsWhatPeopleWrite(String text, long bytes) {
    assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "MiB",
        "-1",
        "1MB",
        "1 2",
        "0x10",
        "1e3",
        "9223372036854775808",
        "8EiB",
        "0.3KiB",
        "1.",
        "٣"
      })
  void refusesWhatIsNoSize(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void everySizeReadsBack() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 10_000; i++) {
      ByteSize size = new ByteSize(random.nextLong(Long.MAX_VALUE) >> random.nextInt(63));
      assertThat(ByteSize.parse(size.toString())).isEqualTo(size);
    }
  }

  @Test
  void arithmeticIsChecked() {
    assertThat(ByteSize.ofKiB(1).plus(ByteSize.ofMiB(1)).times(2))
        .isEqualTo(new ByteSize(2_099_200));
    assertThatThrownBy(() -> ByteSize.ofGiB(Long.MAX_VALUE))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> new ByteSize(Long.MAX_VALUE).plus(new ByteSize(1)))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> new ByteSize(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(new ByteSize(1).compareTo(new ByteSize(2))).isNegative();
    assertThat(new ByteSize(1536).rounded()).isEqualTo("1.50 KiB");
  }

  @Test
  void alignmentRoundsForPowersOfTwoAndOthers() {
    for (long alignment : new long[] {1, 2, 7, 10, 32, 50, 512}) {
      Alignment to = new Alignment(alignment);
      for (long size = 0; size < 2_000; size++) {
        assertThat(to.up(size)).isEqualTo(Math.ceilDiv(size, alignment) * alignment);
        assertThat(to.down(size)).isEqualTo(size / alignment * alignment);
      }
      assertThat(to.canRound(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE % alignment == 0);
    }
    assertThat(new Alignment(0)).isEqualTo(new Alignment(1));
  }
}
