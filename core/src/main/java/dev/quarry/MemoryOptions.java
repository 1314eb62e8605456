package dev.quarry;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What an operator may configure about a memory. Layouts are not among it: a layout is part of a
/// program.
///
/// @param persistentMemory how the persistent pool is used
/// @param log how much is logged
/// @param leakTracking how often a reservation's stack is kept
public record MemoryOptions(
    PersistentMemory persistentMemory, MemoryLog log, LeakTracking leakTracking) {
  /// What holds unless something else is said.
  public static final MemoryOptions DEFAULT =
      new MemoryOptions(PersistentMemory.ENABLED, MemoryLog.DISABLED, LeakTracking.OFF);

  /// Reads the keys `persistent_memory`, `log` and `leak_tracking`; one that is absent has its
  /// default.
  ///
  /// @throws IllegalArgumentException when a key or a value is unknown, `pools` among the keys
  public static MemoryOptions parse(Map<String, String> section) {
    MemoryOptions options = DEFAULT;
    for (Map.Entry<String, String> entry : section.entrySet()) {
      options =
          switch (entry.getKey()) {
            case "persistent_memory" ->
                options.with(value(entry, PersistentMemory.values(), PersistentMemory::text));
            case "log" -> options.with(value(entry, MemoryLog.values(), MemoryOptions::lowerCase));
            case "leak_tracking" ->
                options.with(value(entry, LeakTracking.values(), MemoryOptions::lowerCase));
            default ->
                throw new IllegalArgumentException(
                    "memory section: unknown key '"
                        + entry.getKey()
                        + "': expected persistent_memory, log or leak_tracking (layouts are set by"
                        + " programs)");
          };
    }
    return options;
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static <T> T value(
      Map.Entry<String, String> entry, T[] values, Function<T, String> spelling) {
    for (T value : values) {
      if (spelling.apply(value).equals(entry.getValue())) return value;
    }
    String expected = Arrays.stream(values).map(spelling).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "memory section: "
            + entry.getKey()
            + " is '"
            + entry.getValue()
            + "': expected one of "
            + expected);
  }

  /// These options with another use of the persistent pool.
  public MemoryOptions with(PersistentMemory other) {
    return new MemoryOptions(other, log, leakTracking);
  }

  /// These options with other logging.
  public MemoryOptions with(MemoryLog other) {
    return new MemoryOptions(persistentMemory, other, leakTracking);
  }

  /// These options with other leak tracking.
  public MemoryOptions with(LeakTracking other) {
    return new MemoryOptions(persistentMemory, log, other);
  }
}
