package dev.quarry.runtime;

import dev.quarry.MemoryOptions;
import dev.quarry.layout.Layout;
import dev.quarry.report.MemoryObserver;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What a device is opened with. Immutable; everything has a default.
///
/// @param slots how many memories and queues the streams share at most, 1 or more
/// @param layout the layout of each slot's main memory; [Layout#defaultFor] the device where empty
/// @param memory what an operator configured
/// @param observers who hears what happens in the memories
/// @param logger where warnings and the memories' logs go
public record DeviceOptions(
    int slots,
    Optional<Layout> layout,
    MemoryOptions memory,
    List<MemoryObserver> observers,
    System.Logger logger) {
  /// The most streams that have a slot each, unless something else is said.
  public static final int DEFAULT_SLOTS = 128;

  /// What holds unless something else is said.
  public static final DeviceOptions DEFAULT =
      new DeviceOptions(
          DEFAULT_SLOTS,
          Optional.empty(),
          MemoryOptions.DEFAULT,
          List.of(),
          System.getLogger("quarry.memory"));

  /// @throws IllegalArgumentException when there is no slot
  public DeviceOptions {
    if (slots < 1) throw new IllegalArgumentException("slots (" + slots + ") must be at least 1");
    observers = List.copyOf(observers);
  }

  /// These options with another number of slots.
  public DeviceOptions slots(int other) {
    return new DeviceOptions(other, layout, memory, observers, logger);
  }

  /// These options with this layout.
  public DeviceOptions layout(Layout other) {
    return new DeviceOptions(slots, Optional.of(other), memory, observers, logger);
  }

  /// These options with another configuration of the memories.
  public DeviceOptions memory(MemoryOptions other) {
    return new DeviceOptions(slots, layout, other, observers, logger);
  }

  /// These options with one observer more.
  public DeviceOptions observer(MemoryObserver more) {
    List<MemoryObserver> all = Stream.concat(observers.stream(), Stream.of(more)).toList();
    return new DeviceOptions(slots, layout, memory, all, logger);
  }

  /// These options with another log.
  public DeviceOptions logger(System.Logger other) {
    return new DeviceOptions(slots, layout, memory, observers, other);
  }
}
