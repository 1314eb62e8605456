package dev.quarry.opencl;

class TouchedOpenClStorageTest extends OpenClStorageTest {
  @Override
  OpenClOptions options() {
    return OpenClOptions.DEFAULT.touched();
  }

  @Override
  protected boolean zeroes() {
    return true;
  }
}
