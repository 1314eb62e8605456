package dev.quarry.trace;

/// Something out of the ordinary that a format allows, counted in [TraceNotes].
public enum Irregularity {
  /// A free of something the trace never saw allocated: the log started late. The free is left out.
  UNKNOWN_FREED("frees of memory allocated before the log began"),
  /// An address was allocated although it was live: its free was not logged. The old lifetime is
  /// ended there.
  ALLOCATED_WHILE_LIVE("addresses allocated again while live; the earlier lifetime ends there"),
  /// A free that states another size than the allocation. The allocation is believed.
  FREED_SIZE_DIFFERS("frees that state another size than the allocation"),
  /// An allocation of no bytes.
  ZERO_SIZE("allocations of zero bytes"),
  /// An allocation or free of the null address. The row is left out.
  NULL_ADDRESS("rows with a null address, left out"),
  /// A request that was refused. It is in the trace as a [TraceEvent.Failure].
  ALLOCATION_FAILED("allocations that failed"),
  /// A failed request for more than [TraceEvent#MAX_SIZE], shown as that size.
  ABSURD_FAILURE("failed requests above 1 EiB, shown as 1 EiB"),
  /// An address that changed its size in place: seen as a free and an allocation.
  REALLOCATED("reallocations, seen as a free and an allocation"),
  /// A row of another device than the first row's. It is kept.
  OTHER_DEVICE("rows of another device than the first, kept"),
  /// The last line stops in the middle: the program was killed while writing. It is left out.
  CUT_AT_END("rows cut off at the end of the log"),
  /// A line that is not part of the trace.
  OTHER_LINE("lines that belong to something else"),
  /// Something follows the empty line that ends the buffers. It is not read.
  AFTER_EMPTY_LINE("lines after the empty line that ends the buffers, not read"),
  /// A buffer with gaps in its lifetime. The events keep it live throughout.
  GAPS_KEPT_LIVE("buffers with gaps, kept live throughout"),
  /// A buffer with a fixed offset or a hint, which events do not carry.
  OFFSET_NOT_CARRIED("buffers with an offset or hint, which events do not carry"),
  /// A buffer that has the name of an earlier one. Both are kept.
  NAME_REPEATED("buffers named like an earlier one");

  private final String description;

  Irregularity(String description) {
    this.description = description;
  }

  /// A few words for a report, to be read after a count.
  public String description() {
    return description;
  }
}
