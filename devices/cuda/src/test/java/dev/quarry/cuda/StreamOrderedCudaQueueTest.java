package dev.quarry.cuda;

import dev.quarry.cuda.CudaOptions.Way;

class StreamOrderedCudaQueueTest extends CudaQueueTest {
  @Override
  Way way() {
    return Way.STREAM_ORDERED;
  }
}
