package dev.quarry.failure;

/// Why memory could not be had or used. Sizes are bytes.
///
/// "Can never fit", "no room at this moment" and "over its own cap" are different failures, because
/// callers do different things about them; [#remedy] says which. None of them is an
/// [OutOfMemoryError]: a planned refusal never ends a program.
public sealed interface MemoryFailure
    permits MemoryFailure.BufferTooBig,
        MemoryFailure.OutOfMemory,
        MemoryFailure.TooManyAllocations,
        MemoryFailure.PoolCapacityExceeded,
        MemoryFailure.NotFound,
        MemoryFailure.RegionNotFound,
        MemoryFailure.MappingFailed,
        MemoryFailure.UnsupportedStrides,
        MemoryFailure.UnsupportedOperation,
        MemoryFailure.ReleaseFailed,
        MemoryFailure.Unknown,
        Exhausted {
  /// One sentence with the numbers.
  String message();

  /// What the caller can do.
  Remedy remedy();

  /// Whether reclaiming memory and asking again may help.
  default boolean retryable() {
    return remedy() == Remedy.RELEASE_AND_RETRY;
  }

  /// No pool takes a request of this size, or the device can never hold it.
  ///
  /// @param size the bytes asked for
  record BufferTooBig(long size) implements MemoryFailure {
    @Override
    public String message() {
      return "a buffer of "
          + size
          + " bytes can never fit: no pool of the layout, or not the device, takes that size";
    }

    @Override
    public Remedy remedy() {
      return Remedy.CHANGE_THE_REQUEST_OR_LAYOUT;
    }
  }

  /// The device has no room at this moment.
  ///
  /// @param size the bytes asked of the device
  record OutOfMemory(long size) implements MemoryFailure {
    @Override
    public String message() {
      return "the device has no room for " + size + " bytes at this moment";
    }

    @Override
    public Remedy remedy() {
      return Remedy.RELEASE_AND_RETRY;
    }
  }

  /// The device has as many allocations as it takes at once, whatever their sizes.
  ///
  /// @param held the allocations that there are
  /// @param limit what the driver calls the limit
  record TooManyAllocations(long held, String limit) implements MemoryFailure {
    @Override
    public String message() {
      return "the device has "
          + held
          + " allocations and takes no more at once ("
          + limit
          + "): larger pages need fewer";
    }

    @Override
    public Remedy remedy() {
      return Remedy.RELEASE_AND_RETRY;
    }
  }

  /// A capped pool is full.
  ///
  /// @param size the bytes asked for
  /// @param capacity the most bytes of pages the pool may hold
  /// @param inUse the bytes of the pool's live allocations
  record PoolCapacityExceeded(long size, long capacity, long inUse) implements MemoryFailure {
    @Override
    public String message() {
      return "no room for "
          + size
          + " bytes in a pool capped at "
          + capacity
          + " bytes, of which "
          + inUse
          + " are in use";
    }

    @Override
    public Remedy remedy() {
      return Remedy.RELEASE_AND_RETRY;
    }
  }

  /// The handle or binding does not lead to live memory.
  ///
  /// @param reason which way it is stale
  record NotFound(String reason) implements MemoryFailure {
    @Override
    public String message() {
      return "no live memory behind this owner: " + reason;
    }

    @Override
    public Remedy remedy() {
      return Remedy.MEND_THE_CALLER;
    }
  }

  /// The storage does not know the region.
  ///
  /// @param reason what the storage was asked for
  record RegionNotFound(String reason) implements MemoryFailure {
    @Override
    public String message() {
      return "the storage has no such region: " + reason;
    }

    @Override
    public Remedy remedy() {
      return Remedy.MEND_THE_CALLER;
    }
  }

  /// Reserved memory could not be mapped when it was first located.
  ///
  /// @param size the bytes asked of the storage
  /// @param cause why the storage refused
  record MappingFailed(long size, MemoryFailure cause) implements MemoryFailure {
    @Override
    public String message() {
      return "reserved memory could not be mapped (" + size + " bytes): " + cause.message();
    }

    @Override
    public Remedy remedy() {
      return Remedy.RELEASE_AND_RETRY;
    }
  }

  /// A copy asked for a memory layout that the storage can not serve.
  record UnsupportedStrides() implements MemoryFailure {
    @Override
    public String message() {
      return "the storage can not copy data with these strides";
    }

    @Override
    public Remedy remedy() {
      return Remedy.CHANGE_THE_REQUEST_OR_LAYOUT;
    }
  }

  /// The storage does not offer an operation.
  ///
  /// @param operation its name
  record UnsupportedOperation(String operation) implements MemoryFailure {
    @Override
    public String message() {
      return "the storage does not offer " + operation;
    }

    @Override
    public Remedy remedy() {
      return Remedy.CHANGE_THE_REQUEST_OR_LAYOUT;
    }
  }

  /// The device refused to take memory back.
  ///
  /// @param reason the device's words
  record ReleaseFailed(String reason) implements MemoryFailure {
    @Override
    public String message() {
      return "the device did not take memory back: " + reason;
    }

    @Override
    public Remedy remedy() {
      return Remedy.EXAMINE_THE_DEVICE;
    }
  }

  /// Any other refusal of the device.
  ///
  /// @param reason the device's words
  record Unknown(String reason) implements MemoryFailure {
    @Override
    public String message() {
      return "the device refused: " + reason;
    }

    @Override
    public Remedy remedy() {
      return Remedy.EXAMINE_THE_DEVICE;
    }
  }
}
