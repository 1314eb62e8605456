package dev.quarry.plan;

import dev.quarry.file.AtomicFile;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolKind;
import dev.quarry.layout.PoolSpec;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Plan files: JSON, version 1, described field by field in `docs/formats/plan.md`. Fields this
/// version does not know are passed over; ones it needs and does not find are an error that names
/// them.
final class PlanFile {
  private static final String FORMAT = "quarry-plan";
  private static final int VERSION = 1;
  private static final long LARGEST = 16 << 20;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private PlanFile() {}

  static String text(Plan plan) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT).put("version", VERSION).put("layout", plan.layout().text());
    root.putObject("device")
        .put("maxPageSize", plan.device().maxPageSize())
        .put("alignment", plan.device().alignment())
        .put("exclusiveOnly", plan.device().exclusiveOnly());
    root.put("reserved", plan.reserved()).put("load", plan.load()).put("gap", plan.gap());
    root.putObject("source")
        .put("name", plan.source().name())
        .put("format", plan.source().format())
        .put("sha256", plan.source().sha256())
        .put("events", plan.source().events())
        .put("allocations", plan.source().allocations());
    ArrayNode pools = root.putArray("predicted");
    for (PoolReport pool : plan.predicted()) {
      pools
          .addObject()
          .put("pool", String.valueOf(pool.spec()))
          .put("pages", pool.pages())
          .put("pagesPeak", pool.pagesPeak())
          .put("pagesUnmapped", pool.pagesUnmapped())
          .put("largestAlloc", pool.largestAlloc())
          .put("largestFree", pool.largestFree())
          .put("allocations", pool.usage().allocations())
          .put("bytesInUse", pool.usage().bytesInUse())
          .put("bytesPadding", pool.usage().bytesPadding())
          .put("bytesReserved", pool.usage().bytesReserved());
    }
    return JSON.writeValueAsString(root) + "\n";
  }

  static void write(Plan plan, Path file) {
    try {
      AtomicFile.write(file, text(plan).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw PlanException.of(file + ": the plan can not be written: " + e, e);
    }
  }

  static Plan read(Path file) {
    try {
      if (Files.isDirectory(file))
        throw PlanException.of(file + ": found a directory, expected a plan file");
      if (Files.size(file) > LARGEST) {
        throw PlanException.of(
            file
                + ": found "
                + Files.size(file)
                + " bytes, expected a plan file of at most "
                + LARGEST);
      }
      return new Fields(file.toString(), JSON.readTree(Files.readAllBytes(file))).plan();
    } catch (NoSuchFileException e) {
      throw PlanException.of(file + ": no such file, expected a plan file", e);
    } catch (IOException e) {
      throw PlanException.of(file + ": the plan can not be read: " + e, e);
    } catch (JacksonException e) {
      String where = e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
      throw PlanException.of(
          file + where + ": found no JSON (" + e.getOriginalMessage() + "), expected a plan file",
          e);
    }
  }

  /// A JSON object of a file, whose fields are needed.
  private record Fields(String where, JsonNode node) {
    Plan plan() {
      if (!node.isObject() || !FORMAT.equals(node.path("format").asString(""))) {
        throw PlanException.of(
            where + ": found no plan, expected an object whose \"format\" is \"" + FORMAT + "\"");
      }
      if (count("version") != VERSION) {
        throw PlanException.of(
            where
                + ": found a plan of version "
                + count("version")
                + ", expected version "
                + VERSION);
      }
      Fields device = object("device");
      Fields source = object("source");
      List<PoolReport> predicted = new ArrayList<>();
      JsonNode pools = need("predicted", node.path("predicted").isArray(), "an array");
      for (int i = 0; i < pools.size(); i++)
        predicted.add(new Fields(where + ", predicted[" + i + "]", pools.get(i)).pool());
      Plan plan =
          new Plan(
              layout("layout"),
              new DeviceProperties(
                  device.count("maxPageSize"),
                  device.count("alignment"),
                  device.flag("exclusiveOnly")),
              new Plan.Source(
                  source.text("name"),
                  source.text("format"),
                  source.text("sha256"),
                  source.count("events"),
                  source.count("allocations")),
              count("reserved"),
              count("load"),
              predicted);
      resolves(plan);
      return plan;
    }

    private void resolves(Plan plan) {
      try {
        plan.layout().resolve(plan.device());
      } catch (LayoutException | IllegalArgumentException e) {
        throw PlanException.of(where + ": the layout does not resolve: " + e.getMessage(), e);
      }
    }

    private PoolReport pool() {
      Layout one = layout("pool");
      if (!(one instanceof Layout.Explicit(List<PoolSpec> pools)) || pools.size() != 1) {
        throw PlanException.of(
            where + ": found \"pool\" " + node.path("pool") + ", expected one pool");
      }
      PoolKind spec = pools.getFirst();
      MemoryUsage usage =
          new MemoryUsage(
              count("allocations"),
              count("bytesInUse"),
              count("bytesPadding"),
              count("bytesReserved"));
      return new PoolReport(
          spec,
          usage,
          number("pages"),
          number("pagesPeak"),
          number("pagesUnmapped"),
          count("largestAlloc"),
          count("largestFree"));
    }

    private Layout layout(String field) {
      try {
        return Layout.parse(text(field));
      } catch (IllegalArgumentException e) {
        throw PlanException.of(
            where + ": found \"" + field + "\" that is no layout: " + e.getMessage(), e);
      }
    }

    private Fields object(String field) {
      return new Fields(
          where + ", " + field, need(field, node.path(field).isObject(), "an object"));
    }

    private String text(String field) {
      return need(field, node.path(field).isString(), "a text").asString();
    }

    private boolean flag(String field) {
      return need(field, node.path(field).isBoolean(), "true or false").asBoolean();
    }

    private long count(String field) {
      JsonNode value = node.path(field);
      return need(
              field,
              value.isIntegralNumber() && value.canConvertToLong() && value.asLong() >= 0,
              "a whole number, 0 or more")
          .asLong();
    }

    private int number(String field) {
      long count = count(field);
      need(field, count <= Integer.MAX_VALUE, "at most " + Integer.MAX_VALUE);
      return (int) count;
    }

    private JsonNode need(String field, boolean present, String expected) {
      JsonNode value = node.path(field);
      if (present) return value;
      String found = value.isMissingNode() ? "no \"" + field + "\"" : "\"" + field + "\" " + value;
      throw PlanException.of(where + ": found " + found + ", expected " + expected);
    }
  }
}
