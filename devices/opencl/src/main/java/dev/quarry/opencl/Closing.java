package dev.quarry.opencl;

import dev.quarry.failure.MemoryException;
import org.jspecify.annotations.Nullable;

/// Gives several things back, each also when another is refused, and reports the refusals at the
/// end as one.
final class Closing {
  private @Nullable MemoryException failure;

  void attempt(Runnable step) {
    try {
      step.run();
    } catch (ClException e) {
      add(e.ofRelease());
    } catch (MemoryException e) {
      add(e);
    }
  }

  private void add(MemoryException e) {
    if (failure == null) failure = e;
    else failure.addSuppressed(e);
  }

  void report() {
    if (failure != null) throw failure;
  }
}
