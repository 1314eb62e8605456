package dev.quarry.storage;

import java.util.List;

/// Finds the devices of one backend. Implementations are found with [java.util.ServiceLoader].
public interface StorageProvider {
  /// The backend's name in lower case, such as `opencl`.
  String name();

  /// The devices that can be opened now, or why there is none. Never throws for a missing library.
  Availability probe();

  /// What a backend can offer on this machine.
  sealed interface Availability {
    /// Devices that can be opened.
    ///
    /// @param devices names to show and to choose by
    record Available(List<String> devices) implements Availability {
      /// Copies the list.
      public Available {
        devices = List.copyOf(devices);
      }
    }

    /// No device.
    ///
    /// @param reason a phrase that completes "not available, because"
    record Unavailable(String reason) implements Availability {}
  }
}
