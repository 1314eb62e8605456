package dev.quarry.failure;

/// The number of a failure in its [ErrorGraph]: 1, 2, 3 and so on, never used again.
///
/// @param value the number
public record FailureId(long value) {
  @Override
  public String toString() {
    return "#" + value;
  }
}
