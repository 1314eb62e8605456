package dev.quarry.layout;

/// What a report names as the kind of a pool: one of a layout's pools, or the persistent pool that
/// every memory has beside its layout.
public sealed interface PoolKind permits PoolSpec, PoolKind.Persistent {
  /// The pool of exact-size allocations that outlive layouts, filled through persistent windows.
  record Persistent() implements PoolKind {
    @Override
    public String toString() {
      return "persistent";
    }
  }
}
