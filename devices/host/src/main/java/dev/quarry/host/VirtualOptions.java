package dev.quarry.host;

/// How a [VirtualStorage] treats its memory. Immutable.
///
/// @param limit the most bytes allocated at once
/// @param hugePages which pages the kernel is asked for
/// @param populated whether each allocation is touched before it is handed out, so that a machine
///   without room says so then and not when the program first writes
/// @param locked whether allocations are kept from being swapped out; needs room under the limit
///   for locked memory (`ulimit -l`)
public record VirtualOptions(long limit, HugePages hugePages, boolean populated, boolean locked) {
  /// @throws IllegalArgumentException when the limit is negative
  public VirtualOptions {
    if (limit < 0) throw new IllegalArgumentException("limit (" + limit + ") is negative");
  }

  /// Up to the memory of the machine, or of the container if that is less; huge pages welcome;
  /// neither touched nor locked.
  public static VirtualOptions ofMachine() {
    return new VirtualOptions(
        MachineMemory.read().total().orElse(Long.MAX_VALUE), HugePages.WELCOME, false, false);
  }

  /// These options with another limit, in bytes.
  public VirtualOptions limit(long other) {
    return new VirtualOptions(other, hugePages, populated, locked);
  }

  /// These options with other pages.
  public VirtualOptions hugePages(HugePages other) {
    return new VirtualOptions(limit, other, populated, locked);
  }

  /// These options with allocations that are touched before they are handed out.
  public VirtualOptions populate() {
    return new VirtualOptions(limit, hugePages, true, locked);
  }

  /// These options with allocations that are kept from being swapped out.
  public VirtualOptions lock() {
    return new VirtualOptions(limit, hugePages, populated, true);
  }
}
