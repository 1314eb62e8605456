package dev.quarry.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Whatever the command is given, it says in one sentence what was found, where, and what was
/// expected; it exits with 2, and nothing is left half done.
class BadInputTest {
  private static final String HEADER = "id,lower,upper,size\n";

  @TempDir Path folder;
  private final Run run = new Run();

  private void complains(String... parts) {
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines().filter(line -> !line.startsWith("Try '")))
        .singleElement()
        .asString()
        .startsWith("quarry: ")
        .contains(parts);
    assertThat(run.err()).doesNotContain("Exception", "\tat ");
  }

  static Stream<Arguments> badTraces() throws IOException {
    byte[] binary = new byte[3000];
    new Random(1).nextBytes(binary);
    byte[] packed = gzip((HEADER + "a,1,5,3\n".repeat(1000)).getBytes(StandardCharsets.UTF_8));
    return Stream.of(
        arguments("empty", new byte[0], "an empty file"),
        arguments("prose", text("It was a dark and stormy night.\n"), "begins with"),
        arguments("binary", binary, "binary data"),
        arguments("wrong header", text("id,lower,size\na,1,3\n"), "expected"),
        arguments("negative size", text(HEADER + "a,1,5,-3\n"), "line 2"),
        arguments("overflowing size", text(HEADER + "a,1,5,99999999999999999999\n"), "line 2"),
        arguments("absurd size", text("a 0 9223372036854775807\n"), "line 1"),
        arguments("sum beyond 64 bits", text(sums()), "64 bits"),
        arguments("truncated line", text(HEADER + "a,1,5,3\nb,1,"), "line 3"),
        arguments("unknown action", text("a 0 100\nx 0\n"), "line 2"),
        arguments("free of an unknown id", text("a 0 100\nf 1\n"), "line 2"),
        arguments("double free", text("a 0 100\nf 0\nf 0\n"), "line 3"),
        arguments("id reused while live", text("a 0 100\na 0 5\n"), "line 2"),
        arguments("truncated gzip", Arrays.copyOf(packed, packed.length / 2), "gzip"),
        arguments("gzip in gzip", gzip(packed), "gzip"),
        arguments("gzip bomb", gzip(new byte[50_000_000]), "binary data"),
        arguments("endless line", text("a 0 " + "1".repeat(3_000_000)), "line"),
        arguments(
            "not UTF-8",
            new byte[] {'a', ' ', '0', ' ', '1', '\n', (byte) 0xc3, (byte) 0x28, '\n'},
            "UTF-8"));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String sums() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 10; i++) text.append("a ").append(i).append(" 1152921504606846976\n");
    return text.toString();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badTraces")
  void aBadTraceIsOneSentenceForEveryVerb(String kind, byte[] content, String part)
      throws IOException {
    Path trace = Files.write(folder.resolve("bad"), content);
    Path plan = folder.resolve("out.json");
    assertThat(run.quarry("inspect", trace.toString())).as(kind).isEqualTo(2);
    complains(trace.toString(), part);
    assertThat(run.quarry("plan", trace.toString(), "-o", plan.toString())).isEqualTo(2);
    complains(trace.toString(), part);
    assertThat(run.quarry("replay", trace.toString(), "--layout", "sliced:page=1GiB;direct"))
        .isEqualTo(2);
    complains(trace.toString(), part);
    assertThat(plan).doesNotExist();
  }

  @Test
  void whatIsNoFileIsSaid() {
    assertThat(run.quarry("inspect", folder.toString())).isEqualTo(2);
    complains("a directory");
    assertThat(run.quarry("inspect", folder.resolve("none").toString())).isEqualTo(2);
    complains("no such file");
    assertThat(run.quarry("inspect", "")).isEqualTo(2);
    complains("TRACE is empty");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | no plan",
        "[] | no plan",
        "nonsense | no JSON",
        "{\"format\":\"quarry-plan\",\"version\":2} | version 2",
        "{\"format\":\"quarry-plan\",\"version\":1} | expected",
        "{\"format\":\"other\"} | no plan",
      })
  void aBadPlanIsOneSentence(String content, String part) throws IOException {
    Path trace = Files.writeString(folder.resolve("t.txt"), "a 0 1\n");
    Path plan = Files.writeString(folder.resolve("plan.json"), content);
    assertThat(run.quarry("check", trace.toString(), "--plan", plan.toString())).isEqualTo(2);
    complains(plan.toString(), part);
    assertThat(run.quarry("replay", trace.toString(), "--plan", plan.toString())).isEqualTo(2);
    complains(plan.toString(), part);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--layout=sliced:page=0 | page_size is zero",
        "--layout=nonsense | names no pool",
        "--layout=sliced:page=1KiB,slice=2KiB | exceeds page_size",
        "--max-page=1TB | is not a size",
        "--max-page=0 | expected 1 to",
        "--alignment=2GiB | expected 1 to",
        "--format=spreadsheet | is unknown",
      })
  void aBadOptionIsOneSentenceAndAHint(String option, String part) throws IOException {
    Path trace = Files.writeString(folder.resolve("t.txt"), "a 0 1\n");
    assertThat(run.quarry("plan", trace.toString(), option)).isEqualTo(2);
    complains(part);
    assertThat(run.err()).contains("Try 'quarry plan --help'.");
  }

  @Test
  void workThatDoesNotFitIsAFailedCheck() throws IOException {
    Path trace = Files.writeString(folder.resolve("t.txt"), "a 0 5000\n");
    assertThat(run.quarry("plan", trace.toString(), "--layout", "sliced:page=1KiB")).isEqualTo(1);
    complains("does not fit the layout", "event 1: allocation 0", "5000 bytes");
  }

  @Test
  void aTraceThatAllocatesNothingCanNotBePlanned() throws IOException {
    Path trace = Files.writeString(folder.resolve("t.txt"), "# nothing here\n");
    assertThat(run.quarry("plan", trace.toString())).isEqualTo(2);
    complains("t.txt");
  }

  @Test
  void aFullDiskLeavesTheOldPlan() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "only Linux has a device that is always full");
    Path trace = Files.writeString(folder.resolve("t.txt"), "a 0 5000\n");
    assertThat(run.quarry("plan", trace.toString(), "-o", full.toString())).isEqualTo(2);
    complains("/dev/full", "No space left on device");
  }

  @Test
  void aReaderThatLeavesEarlyIsNoFailureAndAFullOneIs() throws IOException {
    Path trace = Files.writeString(folder.resolve("t.txt"), "a 0 5000\n");
    assertThat(quarryWritingTo(failing("Broken pipe"), trace)).isZero();
    assertThat(quarryWritingTo(failing("No space left on device"), trace)).isEqualTo(2);
  }

  private static int quarryWritingTo(OutputStream out, Path trace) {
    Streams streams =
        new Streams(
            new ByteArrayInputStream(new byte[0]),
            out,
            new ByteArrayOutputStream(),
            StandardCharsets.UTF_8,
            false);
    return QuarryCommand.run(streams, "inspect", trace.toString());
  }

  private static OutputStream failing(String reason) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(reason);
      }
    };
  }
}
