package dev.quarry.cuda;

import java.util.function.LongSupplier;

/// A context, made current on the calling thread for each call, so that callers find current
/// whatever they had made so.
///
/// Threads: any, at once.
final class CudaContext {
  private final Cuda cuda;
  private final long handle;

  CudaContext(Cuda cuda, long handle) {
    this.cuda = cuda;
    this.handle = handle;
  }

  Cuda cuda() {
    return cuda;
  }

  long handle() {
    return handle;
  }

  long get(LongSupplier call) {
    cuda.push(handle);
    try {
      return call.getAsLong();
    } finally {
      pop();
    }
  }

  void run(Runnable call) {
    get(
        () -> {
          call.run();
          return 0;
        });
  }

  private void pop() {
    try {
      cuda.pop();
    } catch (CuException e) {
      // What was called has succeeded or says itself why not. A stack of contexts that can not be
      // popped is that of a context that is lost, and the next call says so.
    }
  }
}
