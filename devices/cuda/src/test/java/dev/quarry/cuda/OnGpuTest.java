package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OnGpuTest {
  @BeforeAll
  static void skipWhereThereIsNone() {
    DriverDouble.orSkip();
  }

  /// What is run where a device is must not be run there for the first time.
  @Test
  void theProgramForARealDevicePassesOnTheDouble() throws Exception {
    ProcessBuilder program =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-D" + Cuda.LIBRARY + "=" + DriverDouble.library(),
                "-cp",
                System.getProperty("java.class.path"),
                OnGpu.class.getName()));
    program.environment().put("QUARRY_DRIVER_DOUBLE", String.valueOf(1L << 30));
    Process process = program.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    System.out.println(output);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output)
        .contains("0 failed")
        .contains("passed: a dry run larger than the card")
        .contains("all checks passed");
  }
}
