package dev.quarry.failure;

/// Why a layout was not installed. The old layout stays as it was.
public sealed interface InstallRefusal {
  /// One sentence with the numbers.
  String message();

  /// Whether the same install may succeed later.
  boolean transientRefusal();

  /// Allocations are still live in the pools that would be replaced.
  ///
  /// @param bytesInUse the bytes of those allocations; 0 when all of them are of zero size
  record PoolsInUse(long bytesInUse) implements InstallRefusal {
    @Override
    public String message() {
      return "the pools hold live allocations ("
          + bytesInUse
          + " bytes): close them before installing a layout";
    }

    @Override
    public boolean transientRefusal() {
      return true;
    }
  }

  /// A graph capture is active, and what it recorded must keep its place.
  record CaptureActive() implements InstallRefusal {
    @Override
    public String message() {
      return "a graph capture is active: end it before installing a layout";
    }

    @Override
    public boolean transientRefusal() {
      return true;
    }
  }

  /// The stream that should rebuild its pools can not run anything.
  record StreamUnavailable() implements InstallRefusal {
    @Override
    public String message() {
      return "the stream is not available";
    }

    @Override
    public boolean transientRefusal() {
      return false;
    }
  }

  /// The device has no configurable pools.
  record Unsupported() implements InstallRefusal {
    @Override
    public String message() {
      return "the device has no configurable pools";
    }

    @Override
    public boolean transientRefusal() {
      return false;
    }
  }
}
