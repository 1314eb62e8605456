package dev.quarry.replay;

import java.util.function.LongConsumer;

/// What a replay does besides. Immutable.
///
/// @param checksums whether to compute placement checksums; slower then
/// @param touch whether to fill each page of a real storage with zeros when it was mapped: drivers
///   may allocate when memory is first used
/// @param progress told the reader's [position][dev.quarry.trace.TraceReader#position] now and then
public record ReplayOptions(boolean checksums, boolean touch, LongConsumer progress) {
  /// Nothing.
  public static final ReplayOptions DEFAULT = new ReplayOptions(false, false, position -> {});

  /// These options with or without checksums.
  public ReplayOptions checksums(boolean wanted) {
    return new ReplayOptions(wanted, touch, progress);
  }

  /// These options with or without touching pages.
  public ReplayOptions touch(boolean wanted) {
    return new ReplayOptions(checksums, wanted, progress);
  }

  /// These options with somebody who is told how far the replay is.
  public ReplayOptions progress(LongConsumer listener) {
    return new ReplayOptions(checksums, touch, listener);
  }
}
