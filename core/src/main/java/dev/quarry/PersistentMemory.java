package dev.quarry;

import java.util.Locale;

/// How a memory uses its persistent pool.
public enum PersistentMemory {
  /// Only in persistent windows. The default.
  ENABLED,
  /// In persistent windows, and for requests whose padded size the pool holds already.
  SIZE_MATCH,
  /// Never; windows are ignored.
  DISABLED,
  /// Always; windows are ignored.
  ENFORCED;

  /// The spelling in configuration: `enabled`, `size-match`, `disabled`, `enforced`.
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
