package dev.quarry.cuda;

import dev.quarry.cuda.CudaOptions.Way;

class VirtualCudaStorageTest extends CudaStorageTest {
  @Override
  Way way() {
    return Way.VIRTUAL;
  }

  /// Each takes 2 MiB at least.
  @Override
  protected int mostAllocations() {
    return 100;
  }
}
