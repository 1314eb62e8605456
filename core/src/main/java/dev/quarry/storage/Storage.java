package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// Makes and releases device allocations. What a backend implements.
///
/// A storage belongs to one [memory][dev.quarry.DeviceMemory] or one device (of
/// `dev.quarry.runtime`), which calls it from one thread at a time; it needs no locks of its own
/// for that.
///
/// Every implementation must pass the contract suite of the artifact `quarry-testkit`.
///
/// @param <R> what a region is to programs: a memory segment, a buffer with an offset, a device
///   address
public interface Storage<R> extends AutoCloseable {
  /// The alignment in bytes of the first byte of every allocation.
  long alignment();

  /// Makes an allocation of exactly `size` bytes. Zero is legal and takes no device memory.
  ///
  /// When it throws, nothing is allocated and the storage is as before.
  ///
  /// @throws MemoryException with [MemoryFailure.OutOfMemory] when there is no room now,
  ///   [MemoryFailure.TooManyAllocations] when the device takes no more of them,
  ///   [MemoryFailure.BufferTooBig] when the device can never hold that much, and
  ///   [MemoryFailure.Unknown] for any other refusal
  StorageId allocate(long size);

  /// The resource for a window of an allocation. Windows of one allocation may be used side by
  /// side.
  ///
  /// @throws MemoryException with [MemoryFailure.RegionNotFound] when the allocation is unknown or
  ///   was given back, or the window is not inside it
  R get(Region region);

  /// Gives an allocation back. The device may be asked later, in [#flush]; [#get] refuses at once.
  /// An unknown id is ignored.
  void deallocate(StorageId id);

  /// Does what [#deallocate] put off.
  void flush();

  /// The bytes of allocations that were not given back yet.
  long bytesAllocated();

  /// A queue for the commands of one stream. A device opens one for each of its slots, and closes
  /// them before the storage.
  ///
  /// The default runs no commands: every copy is refused with [MemoryFailure.UnsupportedOperation],
  /// and there is nothing to wait for.
  default CommandQueue<R> openQueue() {
    return new NoQueue<>();
  }

  /// Host memory that the device copies to and from without the host's help, as a storage of its
  /// own that the caller closes; empty where the backend has none, which is the default.
  default Optional<Storage<MemorySegment>> openPinned() {
    return Optional.empty();
  }

  /// Whether a device over this storage may install layouts. Not where the backend cuts its memory
  /// up by itself.
  default boolean hasConfigurablePools() {
    return true;
  }

  /// Releases everything. Closing again does nothing; [#allocate] refuses from now on.
  @Override
  void close();
}
