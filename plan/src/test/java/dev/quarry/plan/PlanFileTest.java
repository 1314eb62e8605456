package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent.Allocate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanFileTest {
  @TempDir Path folder;

  private static Plan plan() {
    return new PeakPlanner(
            Layout.parse("sliced:page=1000;exclusive:max=5000,period=9;direct:reclaim=7"))
        .plan(
            Trace.of(List.of(new Allocate(0, 600), new Allocate(1, 4000), new Allocate(2, 9000))),
            new DeviceProperties(1 << 20, 50));
  }

  @Test
  void whatIsWrittenReadsBack() {
    Path file = folder.resolve("plan.json");
    plan().write(file);
    assertThat(Plan.read(file)).isEqualTo(plan());
    assertThat(file).hasContent(plan().toJson());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"version\" : 1 | \"version\" : 2 | version 2",
        "\"version\" : 1 | \"version\" : \"1\" | whole number",
        "\"quarry-plan\" | \"other-plan\" | found no plan",
        "\"reserved\" : | \"retained\" : | no \"reserved\"",
        "\"load\" : | \"load\" : -1, \"was\" : | 0 or more",
        "\"load\" : | \"load\" : 1.5, \"was\" : | whole number",
        "\"load\" : | \"load\" : 99999999999999999999, \"was\" : | whole number",
        "\"exclusiveOnly\" : false | \"exclusiveOnly\" : 0 | true or false",
        "\"device\" : { | \"device\" : 5, \"was\" : { | an object",
        "\"predicted\" : [ | \"predicted\" : 5, \"was\" : [ | an array",
        "\"layout\" : \" | \"layout\" : \"slabs | names no pool",
        "\"sha256\" : \" | \"digest\" : \" | no \"sha256\"",
        "\"format\" : \"quarry-plan\" | \"format\" : \"quarry-plan\", \"format\" : \"quarry-plan\""
            + " | no JSON",
      })
  void aMistakeNamesTheFileAndWhatWasExpected(String good, String bad, String part)
      throws IOException {
    String text = plan().toJson();
    assertThat(text).contains(good.strip());
    Path file =
        Files.writeString(
            folder.resolve("bad.json"),
            text.replaceFirst(Pattern.quote(good.strip()), Matcher.quoteReplacement(bad.strip())));
    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(part);
  }

  @Test
  void aLayoutThatDoesNotResolveIsNoPlan() throws IOException {
    Path file = folder.resolve("bad.json");
    Files.writeString(
        file,
        plan()
            .toJson()
            .replaceFirst("\"layout\" : \"[^\"]*\"", "\"layout\" : \"sliced:page=10,slice=1000\""));
    assertThatThrownBy(() -> Plan.read(file))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("does not resolve")
        .hasMessageContaining("exceeds page_size");
  }

  @Test
  void everyTruncationIsAnError() throws IOException {
    String text = plan().toJson();
    Path file = folder.resolve("cut.json");
    for (int length = 0; length < text.stripTrailing().length(); length += 7) {
      Files.writeString(file, text.substring(0, length));
      assertThatThrownBy(() -> Plan.read(file))
          .as("%d characters", length)
          .isInstanceOf(PlanException.class);
    }
  }

  @Test
  void whatIsNoFileIsSaid() throws IOException {
    assertThatThrownBy(() -> Plan.read(folder))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("a directory");
    assertThatThrownBy(() -> Plan.read(folder.resolve("none")))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("no such file");
    Path huge = Files.write(folder.resolve("huge"), new byte[17 << 20]);
    assertThatThrownBy(() -> Plan.read(huge))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("at most");
  }

  @Test
  void fieldsOfTomorrowArePassedOver() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("new.json"),
            plan().toJson().replaceFirst("\\{", "{\"colour\" : [1, {}],"));
    assertThat(Plan.read(file)).isEqualTo(plan());
  }

  @Test
  void aFailedWriteLeavesWhatWasThereAndNothingElse() throws IOException {
    Path file = folder.resolve("plan.json");
    plan().write(file);
    plan().write(file);
    assertThatThrownBy(() -> plan().write(file.resolve("below.json")))
        .isInstanceOf(PlanException.class)
        .hasMessageContaining("can not be written");
    assertThatThrownBy(() -> plan().write(folder.resolve("missing/plan.json")))
        .isInstanceOf(PlanException.class);
    assertThatThrownBy(() -> plan().write(folder)).isInstanceOf(PlanException.class);
    assertThat(Plan.read(file)).isEqualTo(plan());
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  /// Whatever a plan file holds, it is a plan or a [PlanException].
  @FuzzTest(maxDuration = "60s")
  void anyBytes(byte[] bytes) throws IOException {
    Path file = Files.createTempFile("fuzz", ".json");
    try {
      Plan.read(Files.write(file, bytes));
    } catch (PlanException e) {
      assertThat(e.getMessage()).startsWith(file.toString());
    } finally {
      Files.delete(file);
    }
  }
}
