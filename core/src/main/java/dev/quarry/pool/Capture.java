package dev.quarry.pool;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What a graph capture has touched so far. While *priming*, nothing handed out is used again, so
/// that as many slices exist as the recorded work holds in all; afterwards they are, as a replay
/// will.
final class Capture {
  private final Set<Slice> touched = new HashSet<>();
  private final List<Slice> primed = new ArrayList<>();
  private boolean priming = true;

  void note(Slice slice) {
    touched.add(slice);
    if (priming && slice.acquire(slice.id(), Slice.HANDLE)) primed.add(slice);
  }

  void endPriming() {
    priming = false;
    primed.forEach(slice -> slice.release(Slice.HANDLE));
    primed.clear();
  }

  Set<Slice> touched() {
    return touched;
  }
}
