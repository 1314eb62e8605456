package dev.quarry.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.StorageProvider;
import dev.quarry.storage.StorageProvider.Availability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CudaProviderTest {
  @BeforeAll
  static void skipWhereThereIsNone() {
    DriverDouble.orSkip();
  }

  /// Printed by [#main], in a JVM of its own.
  private static String probeWith(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), CudaProviderTest.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  public static void main(String[] args) {
    System.out.println(new CudaProvider().probe());
  }

  @Test
  void aDriverThatIsNotThereIsTheReason() throws Exception {
    assertThat(
            probeWith(
                "--enable-native-access=ALL-UNNAMED", "-D" + Cuda.LIBRARY + "=libnowhere.so.1"))
        .contains(
            "Unavailable[reason=CUDA's driver is not installed: there is no libnowhere.so.1]");
  }

  @Test
  void aDriverThatLacksACallIsTheReason() throws Exception {
    Path empty = Files.createTempDirectory("driver").resolve("libempty.so");
    Process compiler =
        new ProcessBuilder("gcc", "-shared", "-x", "c", "-o", empty.toString(), "/dev/null")
            .start();
    assertThat(compiler.waitFor()).isZero();
    assertThat(probeWith("--enable-native-access=ALL-UNNAMED", "-D" + Cuda.LIBRARY + "=" + empty))
        .contains("Unavailable[reason=CUDA's driver is too old: it lacks cuInit");
  }

  @Test
  void aMachineWithoutADeviceIsTheReason() throws Exception {
    assertThat(
            probeWith(
                "--enable-native-access=ALL-UNNAMED",
                "-D" + Cuda.LIBRARY + "=" + DriverDouble.library()))
        .contains("Unavailable[reason=CUDA's driver finds no device]");
  }

  @Test
  void nativeAccessThatIsDeniedIsTheReason() throws Exception {
    assertThat(probeWith("--illegal-native-access=deny"))
        .contains("Unavailable[reason=native access is denied: start the JVM with")
        .contains("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void eachDeviceIsListedWithWhatItHasAndLacks() {
    DriverDouble driver = new DriverDouble(2);
    List<DeviceInfo> devices =
        ((Availability.Available) CudaProvider.probe(driver.cuda())).devices();
    assertThat(devices).hasSize(2);
    assertThat(devices.get(0).name()).isEqualTo("Double 0");
    assertThat(devices.get(0).total()).hasValue(DriverDouble.MEMORY);
    assertThat(devices.get(0).free()).hasValue(DriverDouble.MEMORY);
    assertThat(devices.get(0).alignment()).isEqualTo(256);
    assertThat(devices.get(0).notes())
        .containsExactly("driver for CUDA 12.4", "compute capability 9.0");
    assertThat(devices.get(1).notes())
        .contains("shares the host's memory", "no virtual memory management", "no memory pools");
    assertThat(driver.held()).isEmpty();
  }

  @Test
  void whateverCallIsRefusedWhileProbingNothingStaysHeld() {
    DriverDouble driver = new DriverDouble(2);
    Cuda cuda = driver.cuda();
    driver.fail(-1, 0, false);
    CudaProvider.probe(cuda);
    long calls = driver.calls();
    for (long call = 0; call < calls; call++) {
      driver.fail(call, 999, false);
      CudaProvider.probe(cuda);
      String failed = driver.failed();
      driver.fail(-1, 0, false);
      if (failed.equals("cuDevicePrimaryCtxRelease_v2")) {
        assertThat(driver.held()).containsKey("contexts");
        cuda.releasePrimary(driver.held().get("contexts") == 1 && call < calls / 2 ? 0 : 1);
        continue;
      }
      assertThat(driver.held()).as("call %d, %s", call, failed).isEmpty();
    }
  }

  @Test
  void itIsFoundAsAService() {
    assertThat(ServiceLoader.load(StorageProvider.class).stream())
        .anyMatch(provider -> provider.type() == CudaProvider.class);
  }
}
