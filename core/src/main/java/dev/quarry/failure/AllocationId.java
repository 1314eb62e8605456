package dev.quarry.failure;

/// The identity of one allocation, never used again for another. Unique among the memories that
/// share an [ErrorGraph], which are those of one device.
///
/// @param value a number with no meaning but identity
public record AllocationId(long value) {
  @Override
  public String toString() {
    return "allocation " + value;
  }
}
