package dev.quarry.cli;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.size.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The device that work is replayed for.
final class DeviceOptions {
  private static final long DEFAULT_MAX_PAGE = 2L << 30;
  private static final long DEFAULT_ALIGNMENT = 32;
  private static final long MOST_MAX_PAGE = 1L << 60;
  private static final long MOST_ALIGNMENT = 1L << 30;

  @Option(
      names = "--max-page",
      paramLabel = "SIZE",
      description =
          "The largest page the device should be asked for (default: 2GiB, or what"
              + " the storage says).")
  @Nullable ByteSize maxPage;

  @Option(
      names = "--alignment",
      paramLabel = "SIZE",
      description = "What every offset is a multiple of (default: 32, or what the storage says).")
  @Nullable ByteSize alignment;

  @Option(
      names = "--exclusive-only",
      description = "The device can not address parts of a page: no sliced pools.")
  boolean exclusiveOnly;

  @Spec(Spec.Target.MIXEE)
  CommandSpec spec;

  boolean given() {
    return maxPage != null || alignment != null || exclusiveOnly;
  }

  DeviceProperties device() {
    return new DeviceProperties(
        within("--max-page", maxPage, DEFAULT_MAX_PAGE, MOST_MAX_PAGE),
        within("--alignment", alignment, DEFAULT_ALIGNMENT, MOST_ALIGNMENT),
        exclusiveOnly);
  }

  /// The same on a real device, whose figures are the defaults.
  DeviceProperties deviceOn(Devices.Chosen chosen) {
    DeviceProperties there = chosen.info().properties();
    long granted = within("--alignment", alignment, there.alignment(), MOST_ALIGNMENT);
    if (granted % there.alignment() != 0)
      throw misuse(
          "--alignment is "
              + alignment
              + ": expected a multiple of the "
              + Words.bytes(there.alignment())
              + " of "
              + chosen.name());
    return new DeviceProperties(
        within("--max-page", maxPage, Math.min(there.maxPageSize(), MOST_MAX_PAGE), MOST_MAX_PAGE),
        granted,
        exclusiveOnly || there.exclusiveOnly());
  }

  private long within(String option, @Nullable ByteSize asked, long otherwise, long most) {
    if (asked == null) return otherwise;
    if (asked.bytes() >= 1 && asked.bytes() <= most) return asked.bytes();
    throw misuse(option + " is " + asked + ": expected 1 to " + new ByteSize(most));
  }

  /// The layout, after it was seen to resolve for the device.
  Layout checked(Layout layout) {
    return checked(layout, device());
  }

  /// The layout, after it was seen to resolve for a device.
  Layout checked(Layout layout, DeviceProperties device) {
    try {
      return layout.resolve(device).source();
    } catch (LayoutException | IllegalArgumentException e) {
      throw misuse("the layout " + layout.text() + " does not resolve: " + e.getMessage());
    }
  }

  private ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
