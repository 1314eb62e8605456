package dev.quarry.cuda;

import dev.quarry.cuda.CudaOptions.Way;

class StreamOrderedCudaDeviceTest extends CudaDeviceTest {
  @Override
  Way way() {
    return Way.STREAM_ORDERED;
  }
}
