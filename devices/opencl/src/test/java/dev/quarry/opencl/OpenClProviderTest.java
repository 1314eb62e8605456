package dev.quarry.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.StorageProvider;
import dev.quarry.storage.StorageProvider.Availability;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class OpenClProviderTest {
  /// Printed by [#main], in a JVM of its own because loading is tried once in each.
  private static String probeWith(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), OpenClProviderTest.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  public static void main(String[] args) {
    System.out.println(new OpenClProvider().probe());
  }

  @Test
  void aLibraryThatIsNotThereIsTheReason() throws Exception {
    assertThat(
            probeWith(
                "--enable-native-access=ALL-UNNAMED", "-Dorg.lwjgl.opencl.libname=/nowhere/libcl"))
        .contains("Unavailable[reason=the OpenCL library can not be loaded: ")
        .contains("/nowhere/libcl");
  }

  @Test
  void nativeAccessThatIsDeniedIsTheReason() throws Exception {
    assertThat(probeWith("--illegal-native-access=deny"))
        .contains("Unavailable[reason=native access is denied: start the JVM with")
        .contains("--enable-native-access");
  }

  @Test
  void aMachineWithoutAPlatformOrADeviceIsTheReason() {
    assertThat(OpenClProvider.probe(answering(List.of(), List.of())))
        .isEqualTo(
            new Availability.Unavailable(
                "no OpenCL driver is installed: the loader lists no platform"));
    assertThat(OpenClProvider.probe(answering(List.of(1L, 2L), List.of())))
        .isEqualTo(new Availability.Unavailable("no OpenCL platform of this machine has a device"));
  }

  @Test
  void aDeviceThatIsTooOldIsListedWithWhatItLacks() {
    Availability found = OpenClProvider.probe(answering(List.of(1L, 2L), List.of(3L)));
    assertThat(((Availability.Available) found).devices())
        .hasSize(2)
        .allSatisfy(
            device ->
                assertThat(device.notes()).contains("can not be opened: OpenCL 1.2 is needed"));
  }

  private static OpenCl answering(List<Long> platforms, List<Long> devices) {
    return (OpenCl)
        Proxy.newProxyInstance(
            OpenCl.class.getClassLoader(),
            new Class<?>[] {OpenCl.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "platforms" -> platforms;
                  case "devices" -> devices;
                  case "text" -> "OpenCL 1.1 of a museum";
                  case "number" -> 1024L;
                  default -> throw new IllegalStateException(method.getName());
                });
  }

  @Test
  void itIsFoundAsAServiceAndDescribesWhatItOpens() {
    Available.orSkip();
    StorageProvider provider =
        ServiceLoader.load(StorageProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.name().equals("opencl"))
            .findFirst()
            .orElseThrow();
    DeviceInfo info = ((Availability.Available) provider.probe()).devices().getFirst();
    System.out.println(info);
    try (OpenClStorage storage = (OpenClStorage) provider.open(0)) {
      assertThat(storage.alignment()).isEqualTo(info.alignment());
      assertThat(storage.properties()).isEqualTo(info.properties());
      assertThat(storage.info()).isEqualTo(info);
    }
    assertThat(info.maxAllocation()).isPositive();
    assertThat(info.total().orElse(0)).isPositive();
  }
}
