package dev.quarry.cuda;

import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Offers the CUDA devices, numbered as the driver does.
public final class CudaProvider implements StorageProvider {
  /// Made by the service loader.
  public CudaProvider() {}

  @Override
  public String name() {
    return "cuda";
  }

  @Override
  public Availability probe() {
    try {
      return probe(Cuda.load());
    } catch (UnsupportedOperationException e) {
      return new Availability.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  static Availability probe(Cuda cuda) {
    try {
      int driver = cuda.driverVersion();
      List<DeviceInfo> devices = new ArrayList<>();
      for (int place = 0; place < cuda.deviceCount(); place++) {
        CudaDevice device = CudaDevice.of(cuda, cuda.device(place));
        devices.add(device.info(freeOf(cuda, device), driver));
      }
      return devices.isEmpty()
          ? new Availability.Unavailable("CUDA's driver finds no device")
          : new Availability.Available(devices);
    } catch (CuException e) {
      return new Availability.Unavailable(e.getMessage());
    }
  }

  /// The driver tells it in a context only. A device that gives none, because it is full or in
  /// exclusive use, is listed all the same.
  private static OptionalLong freeOf(Cuda cuda, CudaDevice device) {
    try {
      CudaContext context = new CudaContext(cuda, cuda.retainPrimary(device.handle()));
      try {
        return OptionalLong.of(context.get(cuda::freeMemory));
      } finally {
        cuda.releasePrimary(device.handle());
      }
    } catch (CuException e) {
      return OptionalLong.empty();
    }
  }

  @Override
  public Storage<?> open(int device) {
    return CudaStorage.open(device);
  }
}
