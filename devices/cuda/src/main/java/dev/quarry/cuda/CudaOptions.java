package dev.quarry.cuda;

/// How a [CudaStorage] gets its memory. Immutable.
///
/// @param limit the most bytes allocated at once; the device's memory if that is less
/// @param way which calls of the driver allocations are made by
public record CudaOptions(long limit, Way way) {
  /// Calls that allocate device memory.
  public enum Way {
    /// `cuMemAlloc` and `cuMemFree`, which every device has. Both may wait for the whole device.
    DRIVER,
    /// `cuMemAllocFromPoolAsync` and `cuMemFreeAsync`, from a memory pool of the storage's own.
    /// Memory given back stays in the pool until [CudaStorage#flush] trims it.
    STREAM_ORDERED,
    /// Virtual memory management: addresses are reserved, and physical memory is mapped to them and
    /// unmapped. Allocations take whole multiples of the device's granularity, 2 MiB as a rule.
    VIRTUAL
  }

  /// Up to the memory of the device, by `cuMemAlloc`.
  public static final CudaOptions DEFAULT = new CudaOptions(Long.MAX_VALUE, Way.DRIVER);

  /// @throws IllegalArgumentException when the limit is negative
  public CudaOptions {
    if (limit < 0) throw new IllegalArgumentException("limit (" + limit + ") is negative");
  }

  /// These options with another limit, in bytes.
  public CudaOptions limit(long other) {
    return new CudaOptions(other, way);
  }

  /// These options with allocations made in another way.
  public CudaOptions way(Way other) {
    return new CudaOptions(limit, other);
  }
}
