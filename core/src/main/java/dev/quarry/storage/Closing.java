package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import org.jspecify.annotations.Nullable;

/// Gives several things back, each also when another is refused, and reports the refusals at the
/// end as one. For storages that close.
///
/// Threads: single-owner.
public final class Closing {
  private @Nullable MemoryException failure;

  /// Nothing was attempted yet.
  public Closing() {}

  /// Takes a step, and keeps its refusal for [#report].
  public void attempt(Runnable step) {
    try {
      step.run();
    } catch (MemoryException e) {
      if (failure == null) failure = e;
      else failure.addSuppressed(e);
    }
  }

  /// Ends it.
  ///
  /// @throws MemoryException the first refusal, with the others suppressed in it; nothing is thrown
  ///   when there was none
  public void report() {
    if (failure != null) throw failure;
  }
}
