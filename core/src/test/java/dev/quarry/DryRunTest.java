package dev.quarry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class DryRunTest {
  @Test
  void aDryRunSkipsAndARealRunInItExecutes() {
    assertThat(LaunchMode.current()).isEqualTo(LaunchMode.EXECUTE);
    try (RealRun _ = RealRun.open()) {
      assertThat(LaunchMode.current()).isEqualTo(LaunchMode.EXECUTE);
    }
    try (DryRun _ = DryRun.open()) {
      assertThat(LaunchMode.current()).isEqualTo(LaunchMode.SKIP);
      try (RealRun _ = RealRun.open()) {
        assertThat(LaunchMode.current()).isEqualTo(LaunchMode.EXECUTE);
        assertThat(DryRun.mapping()).as("a real run changes no mapping").isEqualTo(Mapping.LAZY);
      }
      assertThat(LaunchMode.current()).isEqualTo(LaunchMode.SKIP);
    }
    assertThat(DryRun.mapping()).isEqualTo(Mapping.EAGER);
  }

  @Test
  void dryRunsOverlapInAnyOrderAndCloseOnce() {
    DryRun first = DryRun.open();
    DryRun second = DryRun.open();
    first.close();
    first.close();
    assertThat(DryRun.isOpen()).isTrue();
    second.close();
    assertThat(DryRun.isOpen()).isFalse();
  }

  @Test
  void realRunsCountPerThreadAndCloseWhereTheyWereOpened() {
    try (RealRun outer = RealRun.open()) {
      RealRun inner = RealRun.open();
      assertThat(RealRun.depth()).isEqualTo(2);
      inner.close();
      inner.close();
      assertThat(RealRun.depth()).isOne();
      CompletableFuture.runAsync(
              () -> {
                assertThat(RealRun.depth()).isZero();
                assertThatThrownBy(outer::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed by");
              })
          .join();
    }
    assertThat(RealRun.depth()).isZero();
  }

  @Test
  void guardsOfManyThreadsAddUp() throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
      List<Future<?>> done = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        done.add(
            executor.submit(
                () -> {
                  for (int i = 0; i < 10_000; i++) {
                    try (DryRun _ = DryRun.open()) {
                      assertThat(DryRun.isOpen()).isTrue();
                    }
                  }
                }));
      }
      for (Future<?> each : done) each.get();
    }
    assertThat(DryRun.isOpen()).isFalse();
  }
}
