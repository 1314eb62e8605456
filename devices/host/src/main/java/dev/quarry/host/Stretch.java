package dev.quarry.host;

import java.util.BitSet;

/// Blocks of one stride in address space that is reserved for all of them at once.
///
/// Blocks are taken lowest first, so that one given back and taken again has the same address. The
/// part up to the highest block in use is accessible, and nothing behind it: with two parts, and
/// not one for each block, the kernel's table of mappings stays short.
final class Stretch {
  private final Libc libc;
  private final long base;
  private final long stride;
  private final int count;
  private final BitSet used = new BitSet();

  /// No block below is free.
  private int lowestFree;

  private long accessible;

  Stretch(Libc libc, long base, long stride, int count) {
    this.libc = libc;
    this.base = base;
    this.stride = stride;
    this.count = count;
  }

  boolean isFull() {
    return used.cardinality() == count;
  }

  boolean contains(long address) {
    return address >= base && address < base + stride * count;
  }

  /// Takes the lowest block and makes its bytes accessible.
  ///
  /// @return its address, or an errno with its sign changed; then nothing was taken
  long take(long bytes) {
    int block = used.nextClearBit(lowestFree);
    long end = block * stride + bytes;
    if (end > accessible) {
      int errno = libc.protect(base + accessible, end - accessible, true);
      if (errno != 0) return -errno;
      accessible = end;
    }
    used.set(block);
    lowestFree = block + 1;
    return base + block * stride;
  }

  /// Takes a block back. Its pages must be dropped already.
  void give(long address) {
    int block = Math.toIntExact((address - base) / stride);
    used.clear(block);
    lowestFree = Math.min(lowestFree, block);
    forbidBehind(used.length() * stride);
  }

  /// What the kernel refuses here stays accessible, and costs nothing while nobody touches it.
  private void forbidBehind(long end) {
    if (end < accessible && libc.protect(base + end, accessible - end, false) == 0)
      accessible = end;
  }
}
