package dev.quarry.model;

import dev.quarry.failure.MemoryFailure;

/// What a reservation came to.
sealed interface NaiveOutcome {
  record Refused(MemoryFailure failure) implements NaiveOutcome {}

  record Served(NaiveAllocation allocation) implements NaiveOutcome {}
}
