package dev.quarry.cuda;

import dev.quarry.failure.MemoryException;
import dev.quarry.storage.Allocations;
import dev.quarry.storage.Closing;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.HostQueue;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;

/// Host memory that the device copies to and from by itself.
final class PinnedStorage implements Storage<MemorySegment> {
  private final CudaContext context;
  private final Allocations<MemorySegment> allocations =
      new Allocations<>(Long.MAX_VALUE, Long.MAX_VALUE);
  private boolean closed;

  PinnedStorage(CudaContext context) {
    this.context = context;
  }

  @Override
  public long alignment() {
    return CudaDevice.ALIGNMENT;
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    if (size == 0) return allocations.add(0, MemorySegment.NULL);
    try {
      return allocations.add(
          size, segment(context.get(() -> context.cuda().hostAllocate(size)), size));
    } catch (CuException e) {
      throw e.ofMemory(size);
    }
  }

  @SuppressWarnings("restricted") // granted by whoever uses CUDA
  private static MemorySegment segment(long address, long size) {
    return MemorySegment.ofAddress(address).reinterpret(size).fill((byte) 0);
  }

  @Override
  public MemorySegment get(Region region) {
    return allocations.of(region).asSlice(region.offset(), region.size());
  }

  /// Frees at once: the driver waits for copies on their way.
  @Override
  public void deallocate(StorageId id) {
    MemorySegment bytes = allocations.remove(id);
    if (bytes != null) free(bytes);
  }

  private void free(MemorySegment bytes) {
    if (bytes.byteSize() == 0) return;
    try {
      context.run(() -> context.cuda().hostFree(bytes.address()));
    } catch (CuException e) {
      throw e.ofRelease();
    }
  }

  @Override
  public void flush() {}

  @Override
  public long bytesAllocated() {
    return allocations.bytes();
  }

  @Override
  public CommandQueue<MemorySegment> openQueue() {
    return new HostQueue();
  }

  /// @throws MemoryException when the driver does not take memory back
  @Override
  public void close() {
    if (closed) return;
    closed = true;
    allocations.refuseMore();
    Closing closing = new Closing();
    for (MemorySegment bytes : allocations.all()) closing.attempt(() -> free(bytes));
    allocations.clear();
    closing.report();
  }
}
