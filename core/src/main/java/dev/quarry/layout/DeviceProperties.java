package dev.quarry.layout;

import dev.quarry.size.Alignment;

/// What planning needs to know of a device. Immutable.
///
/// @param maxPageSize in bytes, the largest device allocation a preset should plan with; a sizing
///   hint, never a limit on an explicit layout
/// @param alignment in bytes, the granularity of offsets; zero is read as one
/// @param exclusiveOnly whether the device can not address parts of an allocation, so that every
///   allocation needs memory of its own and sliced pools are off
public record DeviceProperties(long maxPageSize, long alignment, boolean exclusiveOnly) {
  /// @throws IllegalArgumentException when a number is negative
  public DeviceProperties {
    if (maxPageSize < 0)
      throw new IllegalArgumentException("maxPageSize (" + maxPageSize + ") is negative");
    alignment = new Alignment(alignment).bytes();
  }

  /// A device that can address parts of its allocations.
  public DeviceProperties(long maxPageSize, long alignment) {
    this(maxPageSize, alignment, false);
  }
}
