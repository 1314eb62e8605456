package dev.quarry.failure;

/// What a caller can do about a [MemoryFailure].
public enum Remedy {
  /// Nothing at run time: ask for less, or install another layout.
  CHANGE_THE_REQUEST_OR_LAYOUT,
  /// Close handles, or reclaim free memory with an explicit cleanup, then ask again.
  RELEASE_AND_RETRY,
  /// Mend the caller: it used memory that is not its own any more.
  MEND_THE_CALLER,
  /// Look at the device: the refusal has no known cure.
  EXAMINE_THE_DEVICE
}
