package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkFailure;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CuStatusTest {
  @Test
  void everyStatusOfTheDriverHasItsName() {
    assertThat(CuStatus.text(0)).isEqualTo("CUDA_SUCCESS (0)");
    assertThat(CuStatus.text(2)).isEqualTo("CUDA_ERROR_OUT_OF_MEMORY (2)");
    assertThat(CuStatus.text(719)).isEqualTo("CUDA_ERROR_LAUNCH_FAILED (719)");
    assertThat(CuStatus.text(999)).isEqualTo("CUDA_ERROR_UNKNOWN (999)");
    assertThat(CuStatus.text(12345)).isEqualTo("an unknown status (12345)");
    assertThat(
            IntStream.range(0, 1000)
                .filter(status -> !CuStatus.text(status).startsWith("an unknown"))
                .mapToObj(CuStatus::text)
                .map(text -> text.replaceAll(" .*", "")))
        .hasSize(102)
        .doesNotHaveDuplicates();
  }

  @Test
  void onlyOutOfMemoryIsOutOfMemory() {
    for (int status : new int[] {1, 2, 201, 700, 999}) {
      CuException e = new CuException("call", status);
      assertThat(e.ofMemory(7).failure())
          .isEqualTo(
              status == 2
                  ? new MemoryFailure.OutOfMemory(7)
                  : new MemoryFailure.Unknown("call answered " + CuStatus.text(status)));
      assertThat(e.ofWork(7).failure())
          .isEqualTo(
              status == 2
                  ? new WorkFailure.Memory(new MemoryFailure.OutOfMemory(7))
                  : new WorkFailure.Generic("call answered " + CuStatus.text(status)));
    }
  }
}
