package dev.quarry.cuda;

/// One of the ways to have device memory. The context is current when its methods are called.
/// Whatever is refused throws [CuException], and then nothing was made or nothing was released.
interface Allocator {
  /// Makes an allocation.
  ///
  /// @param size in bytes, more than 0
  /// @return its address
  long allocate(long size);

  /// Gives memory back that nothing uses any more.
  void free(long address, long size);

  /// Gives to the device what [#free] kept.
  void trim();

  /// Gives up what it has besides allocations.
  void close();

  /// By `cuMemAlloc`.
  record Plain(Cuda cuda) implements Allocator {
    @Override
    public long allocate(long size) {
      return cuda.allocate(size);
    }

    @Override
    public void free(long address, long size) {
      cuda.free(address);
    }

    @Override
    public void trim() {}

    @Override
    public void close() {}
  }
}
