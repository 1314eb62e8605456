package dev.quarry.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A benchmark compares only what ran the same operations, so a name must mean the same bytes
/// everywhere.
class TraceGeneratorTest {
  @ParameterizedTest
  @CsvSource({
    "T1, b641879fa28a9ca5", "T2, 1f968381a946e974", "T3, 5f7d0247178689b7", "T4, 3359a09188315b8e",
    "T5, b6c2e445bf72ca52", "T6, 099aa65e53b0f178", "T3a, 848a1de1bc5bb13a",
        "T4a, 8bd743a81d3d3f9d",
    "T5a, b820d3fc3e610b51", "SL1000, dbf3624db93c14c4", "SS1000, edc511614c24c5f5"
  })
  void aNameGivesTheSameBytesEverywhere(String name, String digest) {
    assertThat(TraceGenerator.digest(Ops.generate(name))).isEqualTo(digest);
  }

  @Test
  void whatIsWrittenReadsBackAsTheSameOperations(@TempDir Path folder) throws Exception {
    Ops made = Ops.generate("SS125");
    Path file = Files.writeString(folder.resolve("SS125.txt"), made.text());
    Ops read = Ops.read(file);
    assertThat(read.text().lines().skip(1))
        .containsExactlyElementsOf(made.text().lines().skip(1).toList());
  }

  @Test
  void onlyTheChurnOfASweepIsTimed() {
    Ops sweep = Ops.generate("SL125");
    assertThat(sweep.size() - sweep.timed()).isEqualTo(125);
    assertThat(Ops.generate("T3").timed()).isEqualTo(200_000);
  }

  @Test
  void anUnknownNameIsRefused() {
    assertThatThrownBy(() -> Ops.generate("T7"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'T7' is no trace");
  }
}
