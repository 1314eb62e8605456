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
      description = "The largest page the device should be asked for (default: 2GiB).")
  @Nullable ByteSize maxPage;

  @Option(
      names = "--alignment",
      paramLabel = "SIZE",
      description = "What every offset is a multiple of (default: 32).")
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

  private long within(String option, @Nullable ByteSize asked, long otherwise, long most) {
    if (asked == null) return otherwise;
    if (asked.bytes() >= 1 && asked.bytes() <= most) return asked.bytes();
    throw misuse(option + " is " + asked + ": expected 1 to " + new ByteSize(most));
  }

  /// The layout, after it was seen to resolve for the device.
  Layout checked(Layout layout) {
    try {
      return layout.resolve(device()).source();
    } catch (LayoutException | IllegalArgumentException e) {
      throw misuse("the layout " + layout.text() + " does not resolve: " + e.getMessage());
    }
  }

  private ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
