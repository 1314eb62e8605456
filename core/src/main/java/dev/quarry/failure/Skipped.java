package dev.quarry.failure;

import java.util.List;

/// A record of work that was skipped because an input was claimed. Holds identities only, so it
/// keeps no memory reserved.
///
/// @param kernel the short name of the work
/// @param needed the input that was claimed
/// @param produced the outputs that were not written for it
public record Skipped(String kernel, AllocationId needed, List<AllocationId> produced) {
  /// Copies the list.
  public Skipped {
    produced = List.copyOf(produced);
  }
}
