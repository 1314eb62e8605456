package dev.quarry.vulkan;

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
import org.lwjgl.vulkan.VK10;
import org.lwjgl.vulkan.VkPhysicalDevice;

class VulkanProviderTest {
  /// Printed by [#main], in a JVM of its own because loading is tried once in each.
  private static String probeWith(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), VulkanProviderTest.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  public static void main(String[] args) {
    System.out.println(new VulkanProvider().probe());
  }

  @Test
  void aLibraryThatIsNotThereIsTheReason() throws Exception {
    assertThat(
            probeWith(
                "--enable-native-access=ALL-UNNAMED", "-Dorg.lwjgl.vulkan.libname=/nowhere/libvk"))
        .contains("Unavailable[reason=the Vulkan library can not be loaded: ")
        .contains("/nowhere/libvk");
  }

  @Test
  void nativeAccessThatIsDeniedIsTheReason() throws Exception {
    assertThat(probeWith("--illegal-native-access=deny"))
        .contains("Unavailable[reason=native access is denied: start the JVM with")
        .contains("--enable-native-access");
  }

  @Test
  void aMachineWithoutADeviceOrADriverIsTheReason() {
    assertThat(VulkanProvider.probe(answering(List.of(), 0)))
        .isEqualTo(new Availability.Unavailable("no Vulkan driver of this machine has a device"));
    assertThat(VulkanProvider.probe(answering(List.of(), VK10.VK_ERROR_INCOMPATIBLE_DRIVER)))
        .isEqualTo(
            new Availability.Unavailable(
                "createInstance answered VK_ERROR_INCOMPATIBLE_DRIVER (-9)"));
  }

  private static Vulkan answering(List<VkPhysicalDevice> devices, int status) {
    return (Vulkan)
        Proxy.newProxyInstance(
            Vulkan.class.getClassLoader(),
            new Class<?>[] {Vulkan.class},
            (_, method, _) -> {
              if (status != 0) throw new VulkanException(method.getName(), status);
              return method.getName().equals("physicalDevices") ? devices : null;
            });
  }

  @Test
  void itIsFoundAsAServiceAndDescribesWhatItOpens() {
    ValidatedVulkan.orSkip();
    StorageProvider provider =
        ServiceLoader.load(StorageProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.name().equals("vulkan"))
            .findFirst()
            .orElseThrow();
    DeviceInfo info = ((Availability.Available) provider.probe()).devices().getFirst();
    System.out.println(info);
    try (VulkanStorage storage = (VulkanStorage) provider.open(0)) {
      assertThat(storage.alignment()).isEqualTo(info.alignment());
      assertThat(storage.properties()).isEqualTo(info.properties());
      assertThat(storage.info().alignment()).isEqualTo(info.alignment());
      assertThat(storage.info().notes()).isEqualTo(info.notes());
    }
    assertThat(info.maxAllocation()).isPositive();
    assertThat(info.total().orElse(0)).isPositive();
  }
}
