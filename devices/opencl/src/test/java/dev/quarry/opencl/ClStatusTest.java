package dev.quarry.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.failure.MemoryFailure;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClStatusTest {
  @Test
  void everyStatusOfTheStandardHasItsName() {
    for (int status = 0; status >= -72; status--) {
      if (status < -19 && status > -30) continue;
      assertThat(ClStatus.text(status)).startsWith("CL_").endsWith(" (" + status + ")");
    }
    assertThat(ClStatus.text(-1001)).isEqualTo("CL_PLATFORM_NOT_FOUND_KHR (-1001)");
    assertThat(ClStatus.text(-9999)).isEqualTo("an unknown status (-9999)");
  }

  @Test
  void everyStatusThatSpeaksOfMemoryIsOutOfMemory() {
    for (int status : List.of(-4, -5, -6))
      assertThat(new ClException("call", status).ofMemory(7).failure())
          .isEqualTo(new MemoryFailure.OutOfMemory(7));
    assertThat(new ClException("call", -61).ofMemory(7).failure())
        .isEqualTo(new MemoryFailure.BufferTooBig(7));
    assertThat(new ClException("call", -30).ofMemory(7).failure())
        .isEqualTo(new MemoryFailure.Unknown("call answered CL_INVALID_VALUE (-30)"));
  }
}
