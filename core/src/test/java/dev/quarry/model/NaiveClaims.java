package dev.quarry.model;

import dev.quarry.failure.FailureId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which failure claims which bytes of one allocation: stretches painted over one another, each
/// byte showing the latest paint.
final class NaiveClaims {
  private record Stretch(long from, long to, FailureId failure) {}

  private List<Stretch> stretches = new ArrayList<>();

  /// The failures that show somewhere, in the order in which they began to.
  private final List<FailureId> order = new ArrayList<>();

  void paint(long from, long to, FailureId failure) {
    if (from >= to) return;
    erase(from, to);
    stretches.add(new Stretch(from, to, failure));
    if (!order.contains(failure)) order.add(failure);
    forgetHidden();
  }

  void wipe(long from, long to) {
    if (from >= to) return;
    erase(from, to);
    forgetHidden();
  }

  void clear() {
    stretches.clear();
    order.clear();
  }

  Optional<FailureId> first(long from, long to) {
    for (FailureId failure : order) {
      for (Stretch each : stretches) {
        boolean shows = Math.max(from, each.from) < Math.min(to, each.to);
        if (each.failure.equals(failure) && shows) return Optional.of(failure);
      }
    }
    return Optional.empty();
  }

  List<FailureId> failures() {
    return order;
  }

  private void erase(long from, long to) {
    List<Stretch> left = new ArrayList<>();
    for (Stretch each : stretches) {
      long front = Math.min(each.to, from);
      long back = Math.max(each.from, to);
      if (each.from < front) left.add(new Stretch(each.from, front, each.failure));
      if (back < each.to) left.add(new Stretch(back, each.to, each.failure));
    }
    stretches = left;
  }

  private void forgetHidden() {
    order.removeIf(failure -> stretches.stream().noneMatch(s -> s.failure.equals(failure)));
  }
}
