package dev.quarry.cli;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.plan.Plan;
import dev.quarry.report.PoolReport;
import dev.quarry.trace.Trace;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The parts that the JSON documents of several verbs share. A version changes when a field loses
/// its meaning; fields may be added without.
final class Json {
  private static final int VERSION = 1;

  /// Plain ASCII, so that no terminal's character set can spoil it.
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .build();

  private Json() {}

  static String text(JsonNode node) {
    return JSON.writeValueAsString(node) + System.lineSeparator();
  }

  static ObjectNode document(String format) {
    return JSON.createObjectNode().put("format", format).put("version", VERSION);
  }

  static void trace(ObjectNode parent, Trace trace) {
    parent
        .putObject("trace")
        .put("name", trace.name())
        .put("format", trace.format().description())
        .put("sha256", trace.sha256());
  }

  static void device(ObjectNode parent, DeviceProperties device) {
    parent
        .putObject("device")
        .put("maxPageSize", device.maxPageSize())
        .put("alignment", device.alignment())
        .put("exclusiveOnly", device.exclusiveOnly());
  }

  static void pool(ArrayNode pools, PoolReport pool) {
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

  /// A plan file as it would be written.
  static JsonNode plan(Plan plan) {
    return JSON.readTree(plan.toJson());
  }
}
