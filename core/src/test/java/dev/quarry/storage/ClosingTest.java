package dev.quarry.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosingTest {
  private static void refuse(String why) {
    throw new MemoryException(new MemoryFailure.ReleaseFailed(why));
  }

  @Test
  void everyStepIsTakenAndTheFirstRefusalCarriesTheOthers() {
    List<Integer> taken = new ArrayList<>();
    Closing closing = new Closing();
    closing.attempt(() -> taken.add(1));
    closing.attempt(() -> refuse("the second"));
    closing.attempt(() -> taken.add(3));
    closing.attempt(() -> refuse("the fourth"));
    closing.attempt(() -> taken.add(5));
    assertThat(taken).containsExactly(1, 3, 5);
    assertThatThrownBy(closing::report)
        .hasMessageContaining("the second")
        .satisfies(
            e -> assertThat(e.getSuppressed()).singleElement().asString().contains("the fourth"));
  }

  @Test
  void withoutRefusalsNothingIsReported() {
    Closing closing = new Closing();
    closing.attempt(() -> {});
    closing.report();
    assertThatThrownBy(
            () ->
                closing.attempt(
                    () -> {
                      throw new IllegalStateException("a bug");
                    }))
        .as("what is no refusal is not kept for later")
        .hasMessage("a bug");
    closing.report();
  }
}
