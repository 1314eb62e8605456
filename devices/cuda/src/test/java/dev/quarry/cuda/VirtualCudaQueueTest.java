package dev.quarry.cuda;

import dev.quarry.cuda.CudaOptions.Way;

class VirtualCudaQueueTest extends CudaQueueTest {
  @Override
  Way way() {
    return Way.VIRTUAL;
  }
}
