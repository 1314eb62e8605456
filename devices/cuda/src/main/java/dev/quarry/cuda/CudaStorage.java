package dev.quarry.cuda;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.storage.Allocations;
import dev.quarry.storage.Closing;
import dev.quarry.storage.DeferredReleases;
import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/// Memory of a CUDA device, in the device's primary context or in one that somebody else made.
///
/// Memory that was given back while commands of its queues use it is freed in [#allocate] or
/// [#flush] when they are done.
///
/// Fresh memory holds anything.
///
/// Threads: one at a time, as with every storage; its queues and their fences as [CudaQueue] says.
/// The context is made current for each call and the caller's is current again afterwards.
///
/// Errors: `CUDA_ERROR_OUT_OF_MEMORY` is [MemoryFailure.OutOfMemory], any other refusal
/// [MemoryFailure.Unknown] with the name of its status.
public final class CudaStorage implements Storage<CudaWindow> {
  private final CudaContext context;
  private final CudaDevice device;
  private final boolean ownsContext;
  private final Allocator allocator;
  private final Allocations<Block> allocations;
  private final DeferredReleases<Block> releases = new DeferredReleases<>(this::free);
  private final List<CudaQueue> queues = new CopyOnWriteArrayList<>();
  private boolean closed;

  private record Block(long address, long size) {}

  private CudaStorage(
      CudaContext context, CudaDevice device, boolean ownsContext, CudaOptions options) {
    this.context = context;
    this.device = device;
    this.ownsContext = ownsContext;
    this.allocations =
        new Allocations<>(Math.min(options.limit(), device.memory()), device.memory());
    this.allocator = allocator(context, device, options.way());
  }

  private static Allocator allocator(CudaContext context, CudaDevice device, CudaOptions.Way way) {
    Cuda cuda = context.cuda();
    List<Allocator> made = new ArrayList<>();
    context.run(
        () ->
            made.add(
                switch (way) {
                  case DRIVER -> new Allocator.Plain(cuda);
                  case STREAM_ORDERED -> {
                    need(device.pools(), device, "memory pools");
                    yield new StreamOrderedAllocator(cuda, device.handle());
                  }
                  case VIRTUAL -> {
                    need(device.virtual(), device, "virtual memory management");
                    yield new VirtualAllocator(cuda, device.handle());
                  }
                }));
    return made.getFirst();
  }

  private static void need(boolean offered, CudaDevice device, String what) {
    if (!offered)
      throw new MemoryException(
          new MemoryFailure.UnsupportedOperation(what + " on " + device.name()));
  }

  /// Opens a device in its primary context, with the defaults.
  ///
  /// @param device its place among the devices, from 0 on, as [CudaProvider#probe] lists them
  /// @throws MemoryException when there is no CUDA or no such device, or the driver refuses
  public static CudaStorage open(int device) {
    return open(device, CudaOptions.DEFAULT);
  }

  /// Opens a device in its primary context, which it retains until it is closed.
  ///
  /// @param device its place among the devices, from 0 on, as [CudaProvider#probe] lists them
  /// @throws MemoryException when there is no CUDA or no such device, or the driver refuses, with
  ///   [MemoryFailure.UnsupportedOperation] when the device does not offer the way
  public static CudaStorage open(int device, CudaOptions options) {
    return open(library(), device, options);
  }

  static CudaStorage open(Cuda cuda, int place, CudaOptions options) {
    try {
      int count = cuda.deviceCount();
      if (place < 0 || place >= count)
        throw new MemoryException(
            new MemoryFailure.Unknown(
                "there is no device cuda:" + place + ": this machine has " + count));
      CudaDevice device = CudaDevice.of(cuda, cuda.device(place));
      CudaContext context = new CudaContext(cuda, cuda.retainPrimary(device.handle()));
      try {
        return new CudaStorage(context, device, true, options);
      } catch (RuntimeException e) {
        releasePrimary(cuda, device, e);
        throw e;
      }
    } catch (CuException e) {
      throw e.ofMemory(0);
    }
  }

  private static void releasePrimary(Cuda cuda, CudaDevice device, RuntimeException failure) {
    try {
      cuda.releasePrimary(device.handle());
    } catch (CuException e) {
      failure.addSuppressed(e);
    }
  }

  /// Works in a context that somebody else made, and leaves it as it is. It must outlive the
  /// storage.
  ///
  /// @param context a `CUcontext`
  /// @throws MemoryException when there is no CUDA, or the driver refuses, with
  ///   [MemoryFailure.UnsupportedOperation] when the device does not offer the way
  public static CudaStorage borrow(long context, CudaOptions options) {
    return borrow(library(), context, options);
  }

  static CudaStorage borrow(Cuda cuda, long handle, CudaOptions options) {
    try {
      CudaContext context = new CudaContext(cuda, handle);
      int device = (int) context.get(cuda::contextDevice);
      return new CudaStorage(context, CudaDevice.of(cuda, device), false, options);
    } catch (CuException e) {
      throw e.ofMemory(0);
    }
  }

  private static Cuda library() {
    try {
      return Cuda.load();
    } catch (UnsupportedOperationException e) {
      throw new MemoryException(
          new MemoryFailure.Unknown("CUDA is not available, because " + e.getMessage()), e);
    }
  }

  /// The `CUcontext`, to load kernels in. Valid until the storage is closed.
  public long context() {
    return context.handle();
  }

  /// The `CUdevice`.
  public int device() {
    return device.handle();
  }

  /// What the device says about itself, and what it has free now.
  ///
  /// @throws MemoryException when the driver does not say
  public DeviceInfo info() {
    try {
      return device.info(OptionalLong.of(freeMemory()), context.cuda().driverVersion());
    } catch (CuException e) {
      throw e.ofMemory(0);
    }
  }

  /// What to resolve layouts for.
  public DeviceProperties properties() {
    return device.info(OptionalLong.empty(), 0).properties();
  }

  /// What the device has free at this moment, whoever uses the rest, in bytes.
  ///
  /// @throws MemoryException when the driver does not say
  public long freeMemory() {
    try {
      return context.get(context.cuda()::freeMemory);
    } catch (CuException e) {
      throw e.ofMemory(0);
    }
  }

  /// 256 bytes: what the driver aligns allocations to at least.
  @Override
  public long alignment() {
    return CudaDevice.ALIGNMENT;
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    if (size == 0) return allocations.add(0, new Block(0, 0));
    releases.releasePassed();
    try {
      return allocations.add(size, new Block(context.get(() -> allocator.allocate(size)), size));
    } catch (CuException e) {
      throw e.ofMemory(size);
    }
  }

  @Override
  public CudaWindow get(Region region) {
    return new CudaWindow(allocations.of(region).address() + region.offset(), region.size());
  }

  @Override
  public void deallocate(StorageId id) {
    Block block = allocations.remove(id);
    if (block == null || block.size() == 0) return;
    releases.add(block, queues.stream().map(CudaQueue::behindEverything).toList());
  }

  private void free(Block block) {
    try {
      context.run(() -> allocator.free(block.address(), block.size()));
    } catch (CuException e) {
      throw e.ofRelease();
    }
  }

  @Override
  public void flush() {
    if (closed) return;
    Closing flushing = new Closing();
    flushing.attempt(releases::releasePassed);
    flushing.attempt(() -> release(allocator::trim));
    flushing.report();
  }

  private void release(Runnable call) {
    try {
      context.run(call);
    } catch (CuException e) {
      throw e.ofRelease();
    }
  }

  @Override
  public long bytesAllocated() {
    return allocations.bytes();
  }

  /// A stream of its own. See [CudaQueue] for what it offers beyond the interface.
  @Override
  public CudaQueue openQueue() {
    try {
      CudaQueue queue = new CudaQueue(context, queues::remove);
      queues.add(queue);
      return queue;
    } catch (CuException e) {
      throw e.ofMemory(0);
    }
  }

  /// Memory of `cuMemHostAlloc`, for every context of the process. To be closed before this
  /// storage.
  @Override
  public Optional<Storage<MemorySegment>> openPinned() {
    return Optional.of(new PinnedStorage(context));
  }

  /// Closes the queues that are still open, and releases everything.
  ///
  /// @throws MemoryException when the driver does not take something back; the rest is released
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    allocations.refuseMore();
    Closing closing = new Closing();
    for (CudaQueue queue : queues) closing.attempt(queue::close);
    closing.attempt(releases::awaitAll);
    for (Block block : allocations.all()) if (block.size() > 0) closing.attempt(() -> free(block));
    allocations.clear();
    closing.attempt(() -> release(allocator::close));
    if (ownsContext) closing.attempt(this::releaseContext);
    closing.report();
  }

  private void releaseContext() {
    try {
      context.cuda().releasePrimary(device.handle());
    } catch (CuException e) {
      throw e.ofRelease();
    }
  }
}
