package dev.quarry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.layout.Layout;
import dev.quarry.plan.Plan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class VerbsTest {
  /// Two buffers at once, then a larger one where the first was.
  private static final String SMALL = "a 0 614400\na 1 614400\nf 0\na 0 921600\nf 1\nf 0\n";

  private static final Path BERT = Path.of("..", "examples", "traces", "bert_large.csv");

  @TempDir Path folder;
  private final Run run = new Run();
  private String small = "";
  private String plan = "";

  @BeforeEach
  void writeATrace() throws IOException {
    small = Files.writeString(folder.resolve("small.txt"), SMALL).toString();
    plan = folder.resolve("plan.json").toString();
  }

  private JsonNode json() {
    assertThat(run.err()).isEmpty();
    return JsonMapper.shared().readTree(run.out());
  }

  @Test
  void inspectTellsWhatIsInATrace() {
    assertThat(run.quarry("inspect", small)).isZero();
    assertThat(run.out())
        .containsSubsequence(
            "bench text",
            "events",
            "6",
            "allocations",
            "3",
            "LOAD",
            "1536000 bytes (1.46 MiB)",
            "largest",
            "921600 bytes",
            "sizes",
            "##");
    assertThat(run.quarry("inspect", small, "--json")).isZero();
    assertThat(json().path("format").asString()).isEqualTo("quarry-inspect");
    assertThat(json().path("version").asInt()).isOne();
    assertThat(json().path("load").asLong()).isEqualTo(1_536_000);
    assertThat(json().path("trace").path("sha256").asString()).hasSize(64);
    assertThat(json().path("sizes").size()).isOne();
  }

  @Test
  void replayReportsPoolsSpillsAndRefusals() {
    assertThat(run.quarry("replay", small, "--layout", "sliced:page=1MiB")).isZero();
    assertThat(run.out()).contains("2097152 bytes (2.00 MiB)", "36.53 %");
    assertThat(run.quarry("replay", small, "--layout", "sliced:page=1MiB,cap=1MiB", "--json"))
        .isEqualTo(1);
    assertThat(json().path("refusals").asLong()).isEqualTo(1);
    assertThat(json().path("firstRefusal").path("event").asLong()).isEqualTo(2);
    assertThat(json().path("spills").asLong()).isOne();
    assertThat(json().path("pools").get(0).path("pagesPeak").asInt()).isOne();
    assertThat(run.quarry("replay", small, "--layout", "direct", "--checksum")).isZero();
    assertThat(run.out()).containsPattern("loc [0-9a-f]{16} {2}sto [0-9a-f]{16}");
  }

  @Test
  void aPlanIsProvedWrittenReadBackAndChecked() {
    assertThat(run.quarry("plan", small, "--layout", "sliced:page=1MiB", "-o", plan)).isZero();
    assertThat(run.out()).contains("cap=2MiB", "36.53 %", "the work fits", "written to " + plan);
    assertThat(Plan.read(Path.of(plan)).layout())
        .isEqualTo(Layout.parse("sliced:page=1MiB,slice=1MiB,cap=2MiB"));
    assertThat(run.quarry("check", small, "--plan", plan)).isZero();
    assertThat(run.out())
        .isEqualToNormalizingNewlines(
            "the work fits, and needs what the plan says: 2097152 bytes\n");
    assertThat(run.quarry("replay", small, "--plan", plan)).isZero();
    assertThat(run.quarry("check", small, "--plan", plan, "--json")).isZero();
    assertThat(json().path("fits").asBoolean()).isTrue();
    assertThat(json().path("sameTrace").asBoolean()).isTrue();
  }

  @Test
  void withoutALayoutThePlannerFindsTheArena() {
    assertThat(run.quarry("plan", BERT.toString(), "--json", "-o", plan)).isZero();
    assertThat(json().path("proved").asBoolean()).isTrue();
    assertThat(json().path("plan").path("gap").asDouble()).isBetween(0.0, 0.02);
    assertThat(json().path("written").asString()).isEqualTo(plan);
    assertThat(run.quarry("check", BERT.toString(), "--plan", plan)).isZero();
  }

  @Test
  void aPlanGoesToStandardOutputAloneWhenAskedTo() {
    assertThat(run.quarry("plan", small, "-o", "-")).isZero();
    assertThat(json().path("format").asString()).isEqualTo("quarry-plan");
  }

  @Test
  void aCheckNamesTheFirstAllocationThatDoesNotFit() throws IOException {
    assertThat(run.quarry("plan", small, "--layout", "sliced:page=1MiB", "-o", plan)).isZero();
    String shrunk = Files.readString(Path.of(plan)).replace("cap=2MiB", "cap=1MiB");
    Files.writeString(Path.of(plan), shrunk);
    assertThat(run.quarry("check", small, "--plan", plan)).isEqualTo(1);
    assertThat(run.out()).contains("event 2: allocation 1 of 614400 bytes does not fit");
  }

  @Test
  void aTraceMayComeGzippedFromStandardInput() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(SMALL.getBytes(StandardCharsets.UTF_8));
    }
    assertThat(run.quarryReading(packed.toByteArray(), "inspect", "-")).isZero();
    assertThat(run.out()).startsWith("standard input: bench text");
  }

  @Test
  void progressIsNotShownWhereNobodyWatches() {
    run.quarry("plan", BERT.toString());
    assertThat(run.err()).isEmpty();
  }

  @Test
  void nothingIsLeftBesideAPlan() throws IOException {
    run.quarry("plan", small, "-o", plan);
    run.quarry("plan", small, "-o", folder.resolve("missing/plan.json").toString());
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("plan.json", "small.txt");
    }
  }
}
