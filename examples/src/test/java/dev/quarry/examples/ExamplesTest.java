package dev.quarry.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Every example runs, and says what its page says it does.
class ExamplesTest {
  @Test
  void theMeasuredPlanRunsInTheLayoutItMeasured() {
    String output = outputOf(() -> MeasuredPlan.main(new String[0]));
    assertThat(output)
        .contains("sliced:page=4MiB,slice=4MiB\n")
        .contains("sliced:page=4MiB,slice=4MiB,cap=4MiB")
        .contains("result: 24.0");
  }

  private static String outputOf(Runnable example) {
    PrintStream before = System.out;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try {
      example.run();
    } finally {
      System.setOut(before);
    }
    return captured.toString(StandardCharsets.UTF_8);
  }
}
