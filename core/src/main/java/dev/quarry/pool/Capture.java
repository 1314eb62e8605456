package dev.quarry.pool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a graph capture has touched so far. While *priming*, nothing handed out is used again, so
/// that as many pages exist as the recorded work holds in all; afterwards they are, as a replay
/// will.
final class Capture {
  private final Map<Page, Slice> latest = new HashMap<>();
  private final List<Slice> primed = new ArrayList<>();
  private boolean priming = true;

  void note(Slice slice) {
    latest.put(slice.page, slice);
    if (priming && slice.acquire(Slice.HANDLE)) primed.add(slice);
  }

  void endPriming() {
    priming = false;
    primed.forEach(slice -> slice.release(Slice.HANDLE));
    primed.clear();
  }

  /// For each page that was handed out, the slice it was handed out for last.
  Map<Page, Slice> latest() {
    return latest;
  }
}
