package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.Preset;
import dev.quarry.replay.RandomWork;
import dev.quarry.replay.Replay;
import dev.quarry.replay.Script;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Every field of a plan file in turn, wrong in every way a field can be wrong.
class PlanFileEdgesTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir Path folder;

  private static Plan plan() {
    Script script = new Script();
    script.take(600);
    script.take(4000);
    script.take(9000);
    return new PeakPlanner(
            Layout.parse("sliced:page=1000;exclusive:max=5000,period=9;direct:reclaim=7"))
        .plan(script.trace(), new DeviceProperties(1 << 20, 50));
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("plan.json"), text);
  }

  private void refused(String text, String... parts) throws IOException {
    Path file = file(text);
    List<String> all = new ArrayList<>(List.of(parts));
    all.add("expected");
    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(file.toString())
        .message()
        .contains(all);
  }

  /// Where a field is: a path of names and numbers through the file.
  static List<String> fields() {
    List<String> paths = new ArrayList<>();
    collect(JSON.readTree(plan().toJson()), "", paths);
    paths.remove("/gap"); // follows from the two before it, and is for people
    return paths;
  }

  private static void collect(JsonNode node, String path, List<String> paths) {
    if (!path.isEmpty() && !path.matches(".*/\\d+")) paths.add(path);
    if (node instanceof ObjectNode object) {
      object.properties().forEach(e -> collect(e.getValue(), path + "/" + e.getKey(), paths));
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) collect(array.get(i), path + "/" + i, paths);
    }
  }

  private static String changed(String path, String value) {
    ObjectNode root = (ObjectNode) JSON.readTree(plan().toJson());
    int slash = path.lastIndexOf('/');
    ObjectNode parent = (ObjectNode) root.at(path.substring(0, slash));
    String name = path.substring(slash + 1);
    if (value.isEmpty()) parent.remove(name);
    else parent.set(name, JSON.readTree(value));
    return JSON.writeValueAsString(root);
  }

  private static String name(String path) {
    return path.equals("/format") ? "format" : "\"" + path.substring(path.lastIndexOf('/') + 1);
  }

  @ParameterizedTest
  @MethodSource("fields")
  void aFieldThatIsMissingIsNamed(String path) throws IOException {
    refused(changed(path, ""), name(path));
  }

  @ParameterizedTest
  @MethodSource("fields")
  void aFieldOfAnotherTypeIsNamed(String path) throws IOException {
    JsonNode now = JSON.readTree(plan().toJson()).at(path);
    for (String value : List.of("null", "true", "\"text\"", "7", "1.5", "[]", "{}")) {
      if (JSON.readTree(value).getNodeType() == now.getNodeType() && !value.equals("1.5")) continue;
      refused(changed(path, value), name(path));
    }
  }

  @ParameterizedTest
  @MethodSource("fields")
  void aNumberThatIsNegativeOrBeyond64BitsIsNamed(String path) throws IOException {
    if (!JSON.readTree(plan().toJson()).at(path).isNumber()) return;
    for (String value : List.of("-1", "9223372036854775808", "1e400", "1e2", "0.0", "-0.0"))
      refused(changed(path, value), name(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\n",
        "no plan",
        "null",
        "7",
        "[]",
        "\"quarry-plan\"",
        "{}",
        "{\"format\": 1}",
        "{\"format\": null}",
        "{\"format\": \"Quarry-Plan\", \"version\": 1}",
        "{\"name\": \"package\", \"version\": \"1.0.0\", \"dependencies\": {}}",
        "event,id,size\n",
        "\u0000\u0000",
        "{\"format\": \"quarry-plan\"",
      })
  void whatIsNoPlanIsRefused(String text) throws IOException {
    refused(text, "plan");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2", "1000000", "9223372036854775807"})
  void anotherVersionIsNamed(String version) throws IOException {
    refused(changed("/version", version), "version " + version, "version 1");
  }

  @Test
  void textBehindThePlanIsRefused() throws IOException {
    refused(plan().toJson() + "{}");
    refused(plan().toJson() + "garbage");
  }

  @Test
  void bytesThatAreNoUtf8AreRefused() throws IOException {
    byte[] text =
        plan().toJson().replace("events", "e\u00e9").getBytes(StandardCharsets.ISO_8859_1);
    Path file = Files.write(folder.resolve("latin.json"), text);

    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(file.toString());
  }

  @Test
  void aFieldThatIsThereTwiceIsRefused() throws IOException {
    refused(plan().toJson().replaceFirst("\"load\"", "\"load\" : 1, \"load\""), "load");
    refused(plan().toJson().replaceFirst("\"alignment\"", "\"alignment\":1, \"alignment\""));
  }

  @Test
  void nestingWithoutEndIsRefused() throws IOException {
    refused("[".repeat(1_000_000));
    refused("{\"format\":\"quarry-plan\",\"x\":" + "[".repeat(100_000));
  }

  @Test
  void aNumberOfAMillionDigitsIsRefused() throws IOException {
    refused(plan().toJson().replaceFirst("\"load\" : \\d+", "\"load\" : " + "9".repeat(1_000_000)));
  }

  @Test
  void aByteOrderMarkIsPassedOver() throws IOException {
    assertThat(Plan.read(file("\ufeff" + plan().toJson()))).isEqualTo(plan());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sliced",
        "sliced:page=",
        "sliced:page=-1",
        "sliced:page=9999999999999999999",
        "sliced:page=1024,page=2048",
        "exclusive",
        "direct;",
        "sub-slices;direct",
      })
  void aLayoutThatDoesNotParseIsRefused(String layout) throws IOException {
    Path file = file(changed("/layout", "\"" + layout + "\""));

    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(file + ": found \"layout\" that is no layout: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sliced:page=1024,cap=1023",
        "sliced:page=0",
        "sliced:page=1,cap=9223372036854775807",
        "sliced:page=9223372036854775807",
        "exclusive:max=9223372036854775807",
      })
  void aLayoutThatDoesNotResolveIsRefused(String layout) throws IOException {
    Path file = file(changed("/layout", "\"" + layout + "\""));

    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(file + ": the layout does not resolve: ");
  }

  @Test
  void aSlicedLayoutOfAnExclusiveOnlyDeviceIsRefused() throws IOException {
    Path file = file(changed("/device/exclusiveOnly", "true"));

    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("exclusive-only");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sub-slices", "direct;direct", "persistent", ""})
  void aPredictedPoolThatIsNotOnePoolIsRefused(String pool) throws IOException {
    refused(changed("/predicted/0/pool", "\"" + pool + "\""), "predicted[0]", "\"pool\"");
  }

  @Test
  void aPageCountBeyondAnIntIsRefused() throws IOException {
    refused(changed("/predicted/0/pages", "2147483648"), "\"pages\"", "predicted[0]");
  }

  /// Why: a plan is only worth keeping if what comes back is what was measured.
  @Test
  void plansOfRandomWorkReadBackEqual() {
    Path file = folder.resolve("plan.json");
    RandomWork.seeds(200)
        .mapToObj(seed -> RandomWork.of(seed, 100))
        .filter(work -> Replay.of(work.trace(), work.layout(), work.device()).refusals() == 0)
        .forEach(
            work -> {
              Plan plan = new PeakPlanner(work.layout()).plan(work.trace(), work.device());
              plan.write(file);
              assertThat(Plan.read(file)).as(work.toString()).isEqualTo(plan);
            });
  }

  @Test
  void presetsAndUnusualNamesReadBackEqual() {
    Plan.Source source =
        new Plan.Source("C:\\runs\\\"best\" \u00fc\n\ud83d\ude00.csv", "CSV", "", 0, 0);
    for (Preset preset : Preset.values()) {
      Plan plan =
          new Plan(
              preset,
              new DeviceProperties(Long.MAX_VALUE / 2, 1),
              source,
              Long.MAX_VALUE,
              1,
              List.of());
      Path file = folder.resolve(preset.text());

      plan.write(file);

      assertThat(Plan.read(file)).isEqualTo(plan);
    }
  }

  @Test
  void aPlanIsReplacedWhole() throws IOException {
    Path file = file("x".repeat(100_000));

    plan().write(file);

    assertThat(file).hasContent(plan().toJson());
    alone(file);
  }

  @Test
  void aPlanBehindALinkIsReplacedAndTheLinkStays() throws IOException {
    Path file = file("old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);

    plan().write(link);

    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent(plan().toJson());
  }

  @Test
  void aFullDeviceIsAnError() {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "only Linux has a device that is always full");

    assertThatThrownBy(() -> plan().write(full))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith("/dev/full: the plan can not be written");
  }

  @Test
  void aFolderThatMayNotBeWrittenToIsAnErrorAndTheOldPlanStays() throws IOException {
    Path locked = Files.createDirectory(folder.resolve("locked"));
    Path file = locked.resolve("plan.json");
    plan().write(file);
    assertThat(locked.toFile().setWritable(false)).isTrue();
    try {
      // Nobody can be kept out of a folder who may do everything.
      if (Files.isWritable(locked)) {
        plan().write(file);
      } else {
        assertThatThrownBy(() -> plan().write(file)).isInstanceOf(PlanException.class);
      }
    } finally {
      assertThat(locked.toFile().setWritable(true)).isTrue();
    }
    assertThat(Plan.read(file)).isEqualTo(plan());
    alone(file);
  }

  @Test
  void aFileInTheWayOfAFolderIsAnErrorAndStays() throws IOException {
    Path file = file("not a folder");

    assertThatThrownBy(() -> plan().write(file.resolve("plan.json")))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(file.resolve("plan.json").toString());

    assertThat(file).hasContent("not a folder");
    alone(file);
  }

  private static void alone(Path file) throws IOException {
    try (Stream<Path> files = Files.list(file.getParent())) {
      assertThat(files).containsExactly(file);
    }
  }
}
