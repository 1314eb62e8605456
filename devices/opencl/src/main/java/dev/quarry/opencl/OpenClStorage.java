package dev.quarry.opencl;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.storage.Allocations;
import dev.quarry.storage.Closing;
import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Memory of an OpenCL device: a `cl_mem` for each allocation, of which kernels get the buffer and
/// an offset.
///
/// Memory that was given back while commands use it is kept by the driver until they are done.
///
/// Fresh memory holds anything, unless the options say that it is touched.
///
/// Threads: one at a time, as with every storage; its queues and their fences as [OpenClQueue]
/// says.
///
/// Errors: `CL_MEM_OBJECT_ALLOCATION_FAILURE`, `CL_OUT_OF_RESOURCES` and `CL_OUT_OF_HOST_MEMORY`
/// are [MemoryFailure.OutOfMemory], with the driver's status in the cause.
public final class OpenClStorage implements Storage<ClWindow> {
  private final OpenCl cl;
  private final ClDevice device;
  private final long context;
  private final @Nullable OpenClQueue touching;
  private final Allocations<Long> allocations;
  private boolean closed;

  /// Over a context that it owns one reference of.
  private OpenClStorage(OpenCl cl, ClDevice device, long context, OpenClOptions options) {
    this.cl = cl;
    this.device = device;
    this.context = context;
    this.allocations =
        new Allocations<>(Math.min(options.limit(), device.memory()), device.maxAllocation());
    this.touching = options.touch() ? openQueue() : null;
  }

  /// Opens a device in a context of its own, with the defaults.
  ///
  /// @param device its place among the devices of all platforms, from 0 on, as
  ///   [OpenClProvider#probe] lists them
  /// @throws MemoryException when there is no OpenCL or no such device, or the driver refuses
  public static OpenClStorage open(int device) {
    return open(device, OpenClOptions.DEFAULT);
  }

  /// Opens a device in a context of its own.
  ///
  /// @param device its place among the devices of all platforms, from 0 on, as
  ///   [OpenClProvider#probe] lists them
  /// @throws MemoryException when there is no OpenCL or no such device, or the driver refuses
  public static OpenClStorage open(int device, OpenClOptions options) {
    return open(library(), device, options);
  }

  static OpenClStorage open(OpenCl cl, int place, OpenClOptions options) {
    try {
      List<ClDevice> devices = ClDevice.all(cl);
      if (place < 0 || place >= devices.size())
        throw new MemoryException(
            new MemoryFailure.Unknown(
                "there is no device opencl:" + place + ": this machine has " + devices.size()));
      ClDevice device = devices.get(place);
      device.checkVersion();
      return in(cl, device, cl.createContext(device.handle()), options);
    } catch (ClException e) {
      throw e.ofMemory(0);
    }
  }

  /// Works in a context that somebody else made, and keeps a reference of it until it is closed.
  ///
  /// @param context a `cl_context`
  /// @param device a `cl_device_id` of that context
  /// @throws MemoryException when there is no OpenCL, or the driver refuses
  public static OpenClStorage borrow(long context, long device, OpenClOptions options) {
    return borrow(library(), context, device, options);
  }

  static OpenClStorage borrow(OpenCl cl, long context, long handle, OpenClOptions options) {
    try {
      ClDevice device = ClDevice.of(cl, handle);
      device.checkVersion();
      cl.retainContext(context);
      return in(cl, device, context, options);
    } catch (ClException e) {
      throw e.ofMemory(0);
    }
  }

  private static OpenClStorage in(OpenCl cl, ClDevice device, long context, OpenClOptions options) {
    try {
      return new OpenClStorage(cl, device, context, options);
    } catch (RuntimeException e) {
      releaseContext(cl, context, e);
      throw e;
    }
  }

  private static void releaseContext(OpenCl cl, long context, RuntimeException failure) {
    try {
      cl.releaseContext(context);
    } catch (ClException e) {
      failure.addSuppressed(e);
    }
  }

  private static OpenCl library() {
    try {
      return LwjglOpenCl.load();
    } catch (UnsupportedOperationException e) {
      throw new MemoryException(
          new MemoryFailure.Unknown("OpenCL is not available, because " + e.getMessage()), e);
    }
  }

  /// The `cl_context`, to make programs and kernels in. Valid until the storage is closed.
  public long context() {
    return context;
  }

  /// The `cl_device_id`.
  public long device() {
    return device.handle();
  }

  /// What the device says about itself.
  public DeviceInfo info() {
    return device.info();
  }

  /// What to resolve layouts for.
  public DeviceProperties properties() {
    return info().properties();
  }

  /// `CL_DEVICE_MEM_BASE_ADDR_ALIGN`, in bytes: what the origin of a sub-buffer must be a multiple
  /// of.
  @Override
  public long alignment() {
    return device.alignment();
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    if (size == 0) return allocations.add(0, 0L);
    try {
      long buffer = cl.createBuffer(context, size);
      if (touching != null) touch(touching, buffer, size);
      return allocations.add(size, buffer);
    } catch (ClException e) {
      throw e.ofMemory(size);
    }
  }

  private void touch(OpenClQueue queue, long buffer, long size) {
    try {
      cl.fill(queue.handle(), buffer, 0, size, (byte) 0);
      cl.finish(queue.handle());
    } catch (ClException e) {
      try {
        cl.releaseBuffer(buffer);
      } catch (ClException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  @Override
  public ClWindow get(Region region) {
    return new ClWindow(allocations.of(region), region.offset(), region.size());
  }

  /// A sub-buffer for a window, for kernels that take a buffer and no offset. Close it before the
  /// window's memory is given back; it may be closed while commands use it.
  ///
  /// @throws IllegalArgumentException when the window has no bytes, or its offset is not a multiple
  ///   of [#alignment]
  /// @throws MemoryException when the driver refuses
  public ClSubBuffer subBuffer(ClWindow window) {
    if (window.size() == 0) throw new IllegalArgumentException(window + " has no bytes");
    if (window.offset() % alignment() != 0)
      throw new IllegalArgumentException(
          window + " does not start at a multiple of " + alignment() + " bytes");
    try {
      return new ClSubBuffer(
          cl, cl.createSubBuffer(window.buffer(), window.offset(), window.size()));
    } catch (ClException e) {
      throw e.ofMemory(window.size());
    }
  }

  @Override
  public void deallocate(StorageId id) {
    Long buffer = allocations.remove(id);
    if (buffer != null && buffer != 0) release(() -> cl.releaseBuffer(buffer));
  }

  private static void release(Runnable call) {
    try {
      call.run();
    } catch (ClException e) {
      throw e.ofRelease();
    }
  }

  /// Does nothing: the driver puts off by itself what has to wait.
  @Override
  public void flush() {}

  @Override
  public long bytesAllocated() {
    return allocations.bytes();
  }

  /// An in-order queue of this device. See [OpenClQueue] for what it offers beyond the interface.
  @Override
  public OpenClQueue openQueue() {
    try {
      return new OpenClQueue(cl, cl.createQueue(context, device.handle()));
    } catch (ClException e) {
      throw e.ofMemory(0);
    }
  }

  @Override
  public void close() {
    if (closed) return;
    closed = true;
    allocations.refuseMore();
    Closing closing = new Closing();
    for (long buffer : allocations.all())
      if (buffer != 0) closing.attempt(() -> release(() -> cl.releaseBuffer(buffer)));
    allocations.clear();
    if (touching != null) closing.attempt(touching::close);
    closing.attempt(() -> release(() -> cl.releaseContext(context)));
    closing.report();
  }
}
