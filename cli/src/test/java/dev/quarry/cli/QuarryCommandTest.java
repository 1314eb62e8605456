package dev.quarry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuarryCommandTest {
  private final Run run = new Run();

  @Test
  void versionNamesTheReleaseAndTheJava() {
    assertThat(run.quarry("--version")).isZero();
    assertThat(run.out()).matches("quarry \\d+\\.\\d+\\.\\d+\\S* \\(Java \\d+\\S*\\)\\R");
  }

  @Test
  void withoutAVerbItPrintsItsUsage() {
    assertThat(run.quarry()).isZero();
    assertThat(run.out())
        .startsWith("Usage: quarry")
        .contains("inspect", "replay", "plan", "check", "devices", "completion");
  }

  @Test
  void misuseIsOneSentenceAndAHint() {
    assertThat(run.quarry("--colour")).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualToNormalizingNewlines("quarry: unknown option '--colour'\nTry 'quarry --help'.\n");
    assertThat(run.quarry("plna")).isEqualTo(2);
    assertThat(run.err()).contains("unknown verb 'plna': expected one of");
    assertThat(run.quarry("plan")).isEqualTo(2);
    assertThat(run.err()).contains("Try 'quarry plan --help'.");
  }

  @Test
  void everyVerbHelpsWithAnExample() {
    for (String verb :
        new String[] {"inspect", "replay", "plan", "check", "devices", "completion"}) {
      assertThat(run.quarry(verb, "--help")).isZero();
      assertThat(run.out()).contains("Usage: quarry " + verb, "Example:  quarry " + verb);
      assertThat(run.out().lines()).allMatch(line -> line.length() <= 100);
    }
  }

  @Test
  void completionKnowsEveryVerb() {
    assertThat(run.quarry("completion")).isZero();
    assertThat(run.out()).startsWith("#!").contains("inspect", "replay", "--checksum");
  }
}
