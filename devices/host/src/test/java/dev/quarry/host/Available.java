package dev.quarry.host;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.storage.StorageProvider.Availability;

/// Skips tests of virtual memory where there is none, and says why.
final class Available {
  private Available() {}

  static void orSkip() {
    Availability found = new VirtualProvider().probe();
    assumeTrue(found instanceof Availability.Available, () -> "virtual memory: " + found);
  }
}
