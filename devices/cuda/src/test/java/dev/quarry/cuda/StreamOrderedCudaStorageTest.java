package dev.quarry.cuda;

import dev.quarry.cuda.CudaOptions.Way;

class StreamOrderedCudaStorageTest extends CudaStorageTest {
  @Override
  Way way() {
    return Way.STREAM_ORDERED;
  }
}
