package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.util.List;

/// Finds and opens the devices of one backend. Implementations are found with
/// [java.util.ServiceLoader].
///
/// Threads: every method may be called from any thread.
public interface StorageProvider {
  /// The backend's name in lower case, such as `opencl`.
  String name();

  /// The devices that can be opened now, or why there is none. Never throws for a library that is
  /// missing, old or broken.
  Availability probe();

  /// Opens a device with the backend's defaults, as a storage that the caller closes.
  ///
  /// @param device its place in what [#probe] answered
  /// @throws MemoryException with [MemoryFailure.Unknown] when there is no such device, or it can
  ///   not be opened
  Storage<?> open(int device);

  /// What a backend can offer on this machine.
  sealed interface Availability {
    /// Devices that can be opened.
    ///
    /// @param devices each by its place
    record Available(List<DeviceInfo> devices) implements Availability {
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
