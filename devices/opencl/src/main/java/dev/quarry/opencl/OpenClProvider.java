package dev.quarry.opencl;

import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageProvider;
import java.util.List;

/// Offers the OpenCL devices of all platforms, numbered in the order in which the loader lists
/// them.
public final class OpenClProvider implements StorageProvider {
  /// Made by the service loader.
  public OpenClProvider() {}

  @Override
  public String name() {
    return "opencl";
  }

  @Override
  public Availability probe() {
    try {
      return probe(LwjglOpenCl.load());
    } catch (UnsupportedOperationException e) {
      return new Availability.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  static Availability probe(OpenCl cl) {
    try {
      if (cl.platforms().isEmpty())
        return new Availability.Unavailable(
            "no OpenCL driver is installed: the loader lists no platform");
      List<ClDevice> devices = ClDevice.all(cl);
      if (devices.isEmpty())
        return new Availability.Unavailable("no OpenCL platform of this machine has a device");
      return new Availability.Available(devices.stream().map(ClDevice::info).toList());
    } catch (ClException e) {
      return new Availability.Unavailable(e.getMessage());
    }
  }

  @Override
  public Storage<?> open(int device) {
    return OpenClStorage.open(device);
  }
}
