package dev.quarry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class QuarryCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void versionNamesTheReleaseAndTheJava() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).matches("quarry \\d+\\.\\d+\\.\\d+\\S* \\(Java \\d+\\S*\\)\\R");
  }

  @Test
  void withoutAVerbItPrintsItsUsage() {
    assertThat(run()).isZero();
    assertThat(out.toString()).startsWith("Usage: quarry");
  }

  @Test
  void anUnknownOptionIsMisuse() {
    assertThat(run("--colour")).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).startsWith("Unknown option: '--colour'");
  }

  private int run(String... words) {
    return new CommandLine(new QuarryCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(words);
  }
}
