package dev.quarry.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Finds fewer steps that still fail: takes out ever smaller pieces for as long as the rest fails.
final class Shrinker {
  private static final int MOST_ATTEMPTS = 3000;

  private Shrinker() {}

  static <S> List<S> shrink(List<S> failing, Predicate<List<S>> fails) {
    List<S> kept = failing;
    int attempts = 0;
    for (int piece = Math.max(1, kept.size() / 2); ; piece = Math.max(1, piece / 2)) {
      boolean removedOne = false;
      for (int from = 0; from < kept.size() && attempts < MOST_ATTEMPTS; attempts++) {
        List<S> fewer = new ArrayList<>(kept.subList(0, from));
        fewer.addAll(kept.subList(Math.min(kept.size(), from + piece), kept.size()));
        if (fails.test(fewer)) {
          kept = fewer;
          removedOne = true;
        } else {
          from += piece;
        }
      }
      if (attempts >= MOST_ATTEMPTS || (piece == 1 && !removedOne)) return kept;
    }
  }
}
