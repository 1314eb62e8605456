package dev.quarry.opencl;

/// How an [OpenClStorage] treats its memory. Immutable.
///
/// @param limit the most bytes allocated at once; the device's memory if that is less
/// @param touch whether each allocation is filled with zeros before it is handed out. Drivers may
///   allocate when memory is first used: then a full device says so only when a command runs,
///   unless allocations are touched
public record OpenClOptions(long limit, boolean touch) {
  /// Up to the memory of the device; not touched.
  public static final OpenClOptions DEFAULT = new OpenClOptions(Long.MAX_VALUE, false);

  /// @throws IllegalArgumentException when the limit is negative
  public OpenClOptions {
    if (limit < 0) throw new IllegalArgumentException("limit (" + limit + ") is negative");
  }

  /// These options with another limit, in bytes.
  public OpenClOptions limit(long other) {
    return new OpenClOptions(other, touch);
  }

  /// These options with allocations that are filled with zeros before they are handed out.
  public OpenClOptions touched() {
    return new OpenClOptions(limit, true);
  }
}
