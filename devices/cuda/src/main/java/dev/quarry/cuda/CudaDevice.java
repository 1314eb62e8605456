package dev.quarry.cuda;

import dev.quarry.storage.DeviceInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// What a device says about itself.
///
/// @param handle its `CUdevice`
/// @param memory all of it, in bytes
/// @param sharesHostMemory whether it has none of its own
/// @param virtual whether it offers virtual memory management
/// @param pools whether it offers memory pools
record CudaDevice(
    int handle,
    String name,
    int major,
    int minor,
    long memory,
    boolean sharesHostMemory,
    boolean virtual,
    boolean pools) {
  /// What `cuMemAlloc` aligns to at least.
  static final long ALIGNMENT = 256;

  // Numbers of CUdevice_attribute.
  private static final int INTEGRATED = 18;
  private static final int COMPUTE_CAPABILITY_MAJOR = 75;
  private static final int COMPUTE_CAPABILITY_MINOR = 76;
  private static final int VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102;
  private static final int MEMORY_POOLS_SUPPORTED = 115;

  static CudaDevice of(Cuda cuda, int handle) {
    return new CudaDevice(
        handle,
        cuda.name(handle),
        cuda.attribute(handle, COMPUTE_CAPABILITY_MAJOR),
        cuda.attribute(handle, COMPUTE_CAPABILITY_MINOR),
        cuda.totalMemory(handle),
        cuda.attribute(handle, INTEGRATED) != 0,
        cuda.attribute(handle, VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0,
        cuda.attribute(handle, MEMORY_POOLS_SUPPORTED) != 0);
  }

  DeviceInfo info(OptionalLong free, int driver) {
    List<String> notes = new ArrayList<>();
    notes.add("driver for CUDA " + driver / 1000 + "." + driver % 1000 / 10);
    notes.add("compute capability " + major + "." + minor);
    if (sharesHostMemory) notes.add("shares the host's memory");
    if (!virtual) notes.add("no virtual memory management");
    if (!pools) notes.add("no memory pools");
    return new DeviceInfo(name, ALIGNMENT, memory, OptionalLong.of(memory), free, notes);
  }
}
