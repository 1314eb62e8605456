package dev.quarry.cuda;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/// Physical memory mapped to reserved addresses. Addresses are kept for the next allocation of
/// their size, since reserving costs more than mapping.
final class VirtualAllocator implements Allocator {
  private final Cuda cuda;
  private final int device;
  private final long granularity;
  private final Map<Long, ArrayDeque<Long>> unmapped = new HashMap<>();

  VirtualAllocator(Cuda cuda, int device) {
    this.cuda = cuda;
    this.device = device;
    this.granularity = cuda.granularity(device);
  }

  private long rounded(long size) {
    return Math.ceilDiv(size, granularity) * granularity;
  }

  @Override
  public long allocate(long size) {
    long length = rounded(size);
    Long known = addresses(length).poll();
    long address = known != null ? known : cuda.reserve(length);
    try {
      map(address, length);
      return address;
    } catch (CuException e) {
      addresses(length).push(address);
      throw e;
    }
  }

  /// The mapping keeps the physical memory, so its handle is released at once.
  private void map(long address, long length) {
    long physical = cuda.createPhysical(device, length);
    try {
      cuda.map(address, length, physical);
    } catch (CuException e) {
      undo(() -> cuda.releasePhysical(physical), e);
      throw e;
    }
    try {
      cuda.releasePhysical(physical);
      cuda.allow(device, address, length);
    } catch (CuException e) {
      undo(() -> cuda.unmap(address, length), e);
      throw e;
    }
  }

  private static void undo(Runnable call, CuException failure) {
    try {
      call.run();
    } catch (CuException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void free(long address, long size) {
    long length = rounded(size);
    cuda.unmap(address, length);
    addresses(length).push(address);
  }

  private ArrayDeque<Long> addresses(long length) {
    return unmapped.computeIfAbsent(length, _ -> new ArrayDeque<>());
  }

  @Override
  public void trim() {}

  @Override
  public void close() {
    CuException failure = null;
    for (Map.Entry<Long, ArrayDeque<Long>> each : unmapped.entrySet()) {
      for (long address : each.getValue()) {
        try {
          cuda.unreserve(address, each.getKey());
        } catch (CuException e) {
          if (failure == null) failure = e;
          else failure.addSuppressed(e);
        }
      }
    }
    unmapped.clear();
    if (failure != null) throw failure;
  }
}
