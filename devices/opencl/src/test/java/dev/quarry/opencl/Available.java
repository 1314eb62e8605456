package dev.quarry.opencl;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.storage.StorageProvider.Availability;

/// Skips tests of OpenCL where there is none, and says why.
final class Available {
  private Available() {}

  static void orSkip() {
    Availability found = new OpenClProvider().probe();
    assumeTrue(found instanceof Availability.Available, () -> "OpenCL: " + found);
  }
}
