package dev.quarry.opencl;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.DeviceInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.lwjgl.opencl.CL10;
import org.lwjgl.opencl.CL11;

/// What a device says about itself.
///
/// @param handle its `cl_device_id`
/// @param version such as `OpenCL 3.0` and the driver's words
/// @param alignment of sub-buffers, in bytes
/// @param maxAllocation the largest `cl_mem`, in bytes
/// @param memory the global memory, in bytes
record ClDevice(
    long handle,
    String name,
    String version,
    long type,
    boolean sharesHostMemory,
    long alignment,
    long maxAllocation,
    long memory) {
  static ClDevice of(OpenCl cl, long handle) {
    return new ClDevice(
        handle,
        cl.text(handle, CL10.CL_DEVICE_NAME),
        cl.text(handle, CL10.CL_DEVICE_VERSION),
        cl.number(handle, CL10.CL_DEVICE_TYPE),
        cl.number(handle, CL11.CL_DEVICE_HOST_UNIFIED_MEMORY) != 0,
        Math.max(1, cl.number(handle, CL10.CL_DEVICE_MEM_BASE_ADDR_ALIGN) / Byte.SIZE),
        cl.number(handle, CL10.CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        cl.number(handle, CL10.CL_DEVICE_GLOBAL_MEM_SIZE));
  }

  /// The devices of all platforms, in the order in which the loader lists them.
  static List<ClDevice> all(OpenCl cl) {
    List<ClDevice> devices = new ArrayList<>();
    for (long platform : cl.platforms())
      for (long device : cl.devices(platform)) devices.add(of(cl, device));
    return devices;
  }

  /// Filling a buffer came with 1.2.
  void checkVersion() {
    if (isOld())
      throw new MemoryException(
          new MemoryFailure.Unknown(name + " offers " + version + " and OpenCL 1.2 is needed"));
  }

  private boolean isOld() {
    return version.startsWith("OpenCL 1.0") || version.startsWith("OpenCL 1.1");
  }

  DeviceInfo info() {
    List<String> notes = new ArrayList<>();
    notes.add(version.strip());
    notes.add(typeName());
    if (sharesHostMemory) notes.add("shares the host's memory");
    if (isOld()) notes.add("can not be opened: OpenCL 1.2 is needed");
    return new DeviceInfo(
        name, alignment, maxAllocation, OptionalLong.of(memory), OptionalLong.empty(), notes);
  }

  private String typeName() {
    if ((type & CL10.CL_DEVICE_TYPE_GPU) != 0) return "a GPU";
    if ((type & CL10.CL_DEVICE_TYPE_CPU) != 0) return "a CPU";
    return (type & CL10.CL_DEVICE_TYPE_ACCELERATOR) != 0 ? "an accelerator" : "another kind";
  }
}
