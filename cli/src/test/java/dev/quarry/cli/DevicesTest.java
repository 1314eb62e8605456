package dev.quarry.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.storage.StorageProvider;
import dev.quarry.storage.StorageProvider.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Real devices, as far as this machine has them.
class DevicesTest {
  @TempDir Path folder;
  private final Run run = new Run();
  private String trace = "";

  @BeforeEach
  void writeATrace() throws IOException {
    trace =
        Files.writeString(
                folder.resolve("small.txt"), "a 0 614400\na 1 614400\nf 0\na 0 921600\nf 1\nf 0\n")
            .toString();
  }

  @Test
  void everyStorageIsListedWithItsLimitsOrWithWhatIsMissing() {
    assertThat(run.quarry("devices")).isZero();
    assertThat(run.out())
        .contains("bytes:0  host memory of the JVM", "alignment           64 bytes");
    for (StorageProvider provider : Devices.providers())
      switch (provider.probe()) {
        case Availability.Available _ -> assertThat(run.out()).contains(provider.name() + ":0  ");
        case Availability.Unavailable(String reason) ->
            assertThat(run.out()).contains(provider.name() + ": not available, because " + reason);
      }
    assertThat(Devices.providers().stream().map(StorageProvider::name))
        .containsExactly("bytes", "cuda", "opencl", "virtual", "vulkan");
  }

  @Test
  void theSameIsToldAsJson() {
    assertThat(run.quarry("devices", "--json")).isZero();
    JsonNode root = JsonMapper.shared().readTree(run.out());
    assertThat(root.path("format").asString()).isEqualTo("quarry-devices");
    assertThat(root.path("storages").size()).isEqualTo(5);
    JsonNode bytes = root.path("storages").get(0);
    assertThat(bytes.path("name").asString()).isEqualTo("bytes");
    assertThat(bytes.path("devices").get(0).path("alignment").asLong()).isEqualTo(64);
    for (JsonNode storage : root.path("storages"))
      assertThat(storage.has("devices")).isNotEqualTo(storage.has("unavailable"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes", "opencl:0", "virtual", "vulkan:0"})
  void aTraceIsReplayedOnADevice(String device) {
    String name = device.replaceAll(":.*", "");
    Devices.providers().stream()
        .filter(provider -> provider.name().equals(name))
        .forEach(
            provider ->
                assumeTrue(
                    provider.probe() instanceof Availability.Available,
                    () -> "this machine has no " + name));
    assertThat(
            run.quarry(
                "replay", trace, "--layout", "sliced:page=1MiB", "--storage", device, "--touch"))
        .as(run.err())
        .isZero();
    assertThat(run.out())
        .contains("on                   " + name + ":0")
        .contains("allocated at most    2097152 bytes (2.00 MiB)")
        .contains("pages touched        2");
    assertThat(
            run.quarry(
                "replay", trace, "--layout", "direct", "--storage", device, "--json", "--checksum"))
        .isZero();
    JsonNode storage = JsonMapper.shared().readTree(run.out()).path("storage");
    assertThat(storage.path("device").asString()).isEqualTo(name + ":0");
    assertThat(storage.path("allocatedPeak").asLong()).isPositive();
    assertThat(storage.path("pagesTouched").asLong()).isZero();
  }

  @Test
  void aPlanThatDoesNotFitTheDeviceIsRefusedWithWhatDiffers() {
    String plan = folder.resolve("plan.json").toString();
    assertThat(run.quarry("plan", trace, "-o", plan, "--alignment", "32")).isZero();
    assertThat(run.quarry("replay", trace, "--plan", plan, "--storage", "bytes")).isOne();
    assertThat(run.err())
        .isEqualTo(
            "quarry: the plan does not fit host memory of the JVM: it was measured for offsets at"
                + " multiples of 32 bytes, and the device needs multiples of 64\n");
    assertThat(run.quarry("plan", trace, "-o", plan, "--alignment", "64")).isZero();
    assertThat(run.quarry("replay", trace, "--plan", plan, "--storage", "bytes")).isZero();
  }

  @Test
  void aDeviceThatIsNotThereIsOneSentence() {
    String[][] wrong = {
      {"foo", "there is no storage 'foo': expected one of bytes, cuda, opencl, virtual, vulkan"},
      {"bytes:1", "there is no device bytes:1: this machine has 1 bytes device"},
      {"bytes:", "'bytes:' names no device: expected a name and a number, such as opencl:0"},
      {"bytes:-1", "'bytes:-1' names no device"},
      {"bytes:99999999999", "'bytes:99999999999' names no device"},
      {"", "there is no storage ''"}
    };
    for (String[] each : wrong) {
      assertThat(run.quarry("replay", trace, "--layout", "direct", "--storage", each[0]))
          .isEqualTo(2);
      assertThat(run.err()).startsWith("quarry: " + each[1]);
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void touchingNeedsAStorageAndAnAlignmentMustSuitTheDevice() {
    assertThat(run.quarry("replay", trace, "--layout", "direct", "--touch")).isEqualTo(2);
    assertThat(run.err()).startsWith("quarry: --touch goes with --storage");
    assertThat(
            run.quarry(
                "replay", trace, "--layout", "direct", "--storage", "bytes", "--alignment", "32"))
        .isEqualTo(2);
    assertThat(run.err())
        .startsWith("quarry: --alignment is 32: expected a multiple of the 64 bytes of bytes:0");
  }
}
