package dev.quarry.storage;

import dev.quarry.layout.DeviceProperties;
import java.util.List;
import java.util.OptionalLong;

/// What a device is, to choose by and to plan for. Sizes are bytes. Immutable.
///
/// @param name what the driver calls it
/// @param alignment what the offsets of parts of an allocation must be a multiple of
/// @param maxAllocation the largest single allocation
/// @param total the memory it has, where the driver says
/// @param free the memory nobody has at this moment, where the driver says; others may take it
///   before the caller does
/// @param notes what else is worth knowing, each a phrase for people
public record DeviceInfo(
    String name,
    long alignment,
    long maxAllocation,
    OptionalLong total,
    OptionalLong free,
    List<String> notes) {
  private static final int PAGES_ON_A_DEVICE = 4;

  /// Copies the list.
  public DeviceInfo {
    notes = List.copyOf(notes);
  }

  /// What to resolve layouts for: the device's alignment, and pages of which several fit, a quarter
  /// of its memory or its largest allocation if that is less.
  public DeviceProperties properties() {
    long page = Math.min(maxAllocation, total.orElse(Long.MAX_VALUE) / PAGES_ON_A_DEVICE);
    return new DeviceProperties(page, alignment);
  }
}
