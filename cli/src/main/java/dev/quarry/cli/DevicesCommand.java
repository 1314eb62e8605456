package dev.quarry.cli;

import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.StorageProvider.Availability;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Lists the devices of this machine.
@Command(
    name = "devices",
    description =
        "List the devices that memory can be had from here, with their limits, and why others can"
            + " not be used.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:  quarry devices"})
final class DevicesCommand implements Callable<Integer> {
  @Mixin Reporting reporting;
  @ParentCommand QuarryCommand quarry;

  @Override
  public Integer call() {
    Map<String, Availability> found = new LinkedHashMap<>();
    for (var provider : Devices.providers()) found.put(provider.name(), provider.probe());
    reporting.print(quarry.streams(), new Listed(found));
    return ExitCode.DONE;
  }

  private record Listed(Map<String, Availability> found) implements Answer {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder();
      found.forEach(
          (name, availability) -> {
            switch (availability) {
              case Availability.Unavailable(String reason) ->
                  text.append(name)
                      .append(": not available, because ")
                      .append(reason)
                      .append(System.lineSeparator());
              case Availability.Available(List<DeviceInfo> devices) -> {
                for (int place = 0; place < devices.size(); place++)
                  text.append(name)
                      .append(':')
                      .append(place)
                      .append("  ")
                      .append(devices.get(place).name())
                      .append(System.lineSeparator())
                      .append(columns(devices.get(place)));
              }
            }
          });
      return text.toString();
    }

    private static Columns columns(DeviceInfo device) {
      Columns columns =
          new Columns("<<")
              .row("alignment", Words.bytes(device.alignment()))
              .row("largest allocation", bytes(device.maxAllocation()))
              .row("memory", bytes(device.total()))
              .row("free now", bytes(device.free()));
      for (int i = 0; i < device.notes().size(); i++)
        columns.row(i == 0 ? "notes" : "", device.notes().get(i));
      return columns;
    }

    private static String bytes(long bytes) {
      return bytes == Long.MAX_VALUE ? "no limit" : Words.bytes(bytes);
    }

    private static String bytes(OptionalLong bytes) {
      return bytes.isEmpty() ? "not told" : Words.bytes(bytes.getAsLong());
    }

    @Override
    public ObjectNode json() {
      ObjectNode root = Json.document("quarry-devices");
      ArrayNode storages = root.putArray("storages");
      found.forEach(
          (name, availability) -> {
            ObjectNode storage = storages.addObject().put("name", name);
            switch (availability) {
              case Availability.Unavailable(String reason) -> storage.put("unavailable", reason);
              case Availability.Available(List<DeviceInfo> devices) -> {
                ArrayNode list = storage.putArray("devices");
                for (DeviceInfo device : devices) put(list.addObject(), device);
              }
            }
          });
      return root;
    }

    private static void put(ObjectNode node, DeviceInfo device) {
      node.put("name", device.name())
          .put("alignment", device.alignment())
          .put("maxAllocation", device.maxAllocation());
      device.total().ifPresent(bytes -> node.put("total", bytes));
      device.free().ifPresent(bytes -> node.put("free", bytes));
      ArrayNode notes = node.putArray("notes");
      device.notes().forEach(notes::add);
    }
  }
}
