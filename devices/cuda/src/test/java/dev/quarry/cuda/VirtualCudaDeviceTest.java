package dev.quarry.cuda;

import dev.quarry.cuda.CudaOptions.Way;

class VirtualCudaDeviceTest extends CudaDeviceTest {
  @Override
  Way way() {
    return Way.VIRTUAL;
  }
}
