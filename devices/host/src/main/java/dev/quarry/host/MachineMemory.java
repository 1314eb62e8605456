package dev.quarry.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/// The memory that this process may have: the machine's, or its control group's where that is less.
/// Bytes.
///
/// @param total all of it, where the system says
/// @param free what nobody uses, or gives up on demand, where the system says
record MachineMemory(OptionalLong total, OptionalLong free) {
  private static final Path ROOT = Path.of("/");

  static MachineMemory read() {
    return read(ROOT);
  }

  /// Reads the system's files under a root, which tests choose. A file that is missing or says
  /// something else is passed over: then less is known.
  static MachineMemory read(Path root) {
    MachineMemory machine =
        new MachineMemory(meminfo(root, "MemTotal:"), meminfo(root, "MemAvailable:"));
    return machine
        .within(group(root, "memory.max"), group(root, "memory.current"))
        .within(
            group(root, "memory/memory.limit_in_bytes"),
            group(root, "memory/memory.usage_in_bytes"));
  }

  private MachineMemory within(OptionalLong limit, OptionalLong used) {
    if (limit.isEmpty() || limit.getAsLong() >= total.orElse(Long.MAX_VALUE)) return this;
    OptionalLong left =
        used.isEmpty()
            ? free
            : OptionalLong.of(
                Math.min(
                    Math.max(0, limit.getAsLong() - used.getAsLong()),
                    free.orElse(Long.MAX_VALUE)));
    return new MachineMemory(limit, left);
  }

  private static OptionalLong meminfo(Path root, String name) {
    try (var lines = Files.lines(root.resolve("proc/meminfo"))) {
      return lines
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .findFirst();
    } catch (IOException | RuntimeException e) {
      return OptionalLong.empty();
    }
  }

  /// `max` is not a number, and means that there is no limit.
  private static OptionalLong group(Path root, String file) {
    try {
      String text = Files.readString(root.resolve("sys/fs/cgroup").resolve(file)).strip();
      return OptionalLong.of(Long.parseLong(text));
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
