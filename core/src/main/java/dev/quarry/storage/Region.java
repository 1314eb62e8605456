package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.util.Objects;

/// A window of bytes inside one device allocation. Immutable.
///
/// @param id the device allocation
/// @param offset where the window starts in it, in bytes
/// @param size the bytes in the window
public record Region(StorageId id, long offset, long size) {
  /// @throws IllegalArgumentException when a number is negative
  public Region {
    if (offset < 0 || size < 0) {
      throw new IllegalArgumentException(
          "region at " + offset + " of " + size + " bytes: neither may be negative");
    }
  }

  /// This window without its first `fromFront` and its last `fromBack` bytes.
  ///
  /// @throws IndexOutOfBoundsException when the window is smaller than that, or a number is
  ///   negative
  public Region trim(long fromFront, long fromBack) {
    checkTrim(size, fromFront, fromBack);
    return new Region(id, offset + fromFront, size - fromFront - fromBack);
  }

  /// Checks that this window is inside an allocation of `bytes` bytes.
  ///
  /// @throws MemoryException with [MemoryFailure.RegionNotFound] when it is not
  public void checkInside(long bytes) {
    if (offset > bytes || size > bytes - offset) throw notFound();
  }

  /// What [Storage#get] throws for a region that it does not know.
  public MemoryException notFound() {
    return new MemoryException(new MemoryFailure.RegionNotFound(toString()));
  }

  /// Checks that a window of `size` bytes can be [trimmed][#trim] by these.
  ///
  /// @throws IndexOutOfBoundsException when it can not
  public static void checkTrim(long size, long fromFront, long fromBack) {
    Objects.checkFromIndexSize(fromFront, 0, size);
    Objects.checkFromIndexSize(fromBack, 0, size - fromFront);
  }
}
