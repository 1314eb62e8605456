package dev.quarry.host;

/// Which pages the kernel is asked for.
public enum HugePages {
  /// Huge pages for allocations of at least one of them, where the kernel has any: the first touch
  /// of large memory is several times faster, and memory is committed in pieces of 2 MiB.
  WELCOME,
  /// Small pages only: memory is committed exactly as it is touched.
  NEVER
}
