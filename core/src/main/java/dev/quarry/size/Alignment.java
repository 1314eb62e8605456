package dev.quarry.size;

/// The granularity in bytes at which a device can address memory.
///
/// Any positive number is legal, powers of two or not; zero is read as one. Immutable.
///
/// @param bytes the granularity
public record Alignment(long bytes) {
  /// @throws IllegalArgumentException when `bytes` is negative
  public Alignment {
    if (bytes < 0) throw new IllegalArgumentException("alignment (" + bytes + ") is negative");
    if (bytes == 0) bytes = 1;
  }

  /// The bytes that round `size` up to a multiple of this alignment; 0 when it is one already.
  public long padding(long size) {
    if ((bytes & (bytes - 1)) == 0) return -size & (bytes - 1);
    long over = size % bytes;
    return over == 0 ? 0 : bytes - over;
  }

  /// `size` rounded up to a multiple of this alignment.
  ///
  /// @throws ArithmeticException when the result exceeds the range of a `long`
  public long up(long size) {
    return Math.addExact(size, padding(size));
  }

  /// `size` rounded down to a multiple of this alignment.
  public long down(long size) {
    return size - size % bytes;
  }

  /// Whether [#up] of `size` stays in the range of a `long`.
  public boolean canRound(long size) {
    return size <= Long.MAX_VALUE - padding(size);
  }
}
