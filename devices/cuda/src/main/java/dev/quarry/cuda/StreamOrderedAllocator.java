package dev.quarry.cuda;

/// Memory of a pool, in the order of a stream of its own.
final class StreamOrderedAllocator implements Allocator {
  private final Cuda cuda;
  private final long stream;
  private final long pool;

  StreamOrderedAllocator(Cuda cuda, int device) {
    this.cuda = cuda;
    this.stream = cuda.createStream();
    try {
      this.pool = cuda.createPool(device);
    } catch (CuException e) {
      destroy(() -> cuda.destroyStream(stream), e);
      throw e;
    }
    try {
      cuda.keepAll(pool);
    } catch (CuException e) {
      destroy(() -> cuda.destroyPool(pool), e);
      destroy(() -> cuda.destroyStream(stream), e);
      throw e;
    }
  }

  private static void destroy(Runnable call, CuException failure) {
    try {
      call.run();
    } catch (CuException e) {
      failure.addSuppressed(e);
    }
  }

  /// Waits for the stream, so that other streams may use the memory at once.
  @Override
  public long allocate(long size) {
    long address = cuda.allocateFrom(pool, size, stream);
    try {
      cuda.synchronizeStream(stream);
      return address;
    } catch (CuException e) {
      destroy(() -> cuda.freeOn(stream, address), e);
      throw e;
    }
  }

  @Override
  public void free(long address, long size) {
    cuda.freeOn(stream, address);
  }

  @Override
  public void trim() {
    cuda.synchronizeStream(stream);
    cuda.trim(pool);
  }

  /// A stream that no longer answers must not keep the pool.
  @Override
  public void close() {
    CuException failure = null;
    for (Runnable call :
        new Runnable[] {
          () -> cuda.synchronizeStream(stream),
          () -> cuda.destroyStream(stream),
          () -> cuda.destroyPool(pool)
        }) {
      try {
        call.run();
      } catch (CuException e) {
        if (failure == null) failure = e;
        else failure.addSuppressed(e);
      }
    }
    if (failure != null) throw failure;
  }
}
