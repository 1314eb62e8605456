package dev.quarry.cli;

import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageProvider;
import dev.quarry.storage.StorageProvider.Availability;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/// The storages that this program was built with.
final class Devices {
  private Devices() {}

  /// By their names.
  static List<StorageProvider> providers() {
    return ServiceLoader.load(StorageProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparing(StorageProvider::name))
        .toList();
  }

  /// A device that words such as `opencl:0` name.
  record Chosen(StorageProvider provider, int place, DeviceInfo info) {
    String name() {
      return provider.name() + ":" + place;
    }

    Storage<?> open() {
      return provider.open(place);
    }
  }

  /// @param words a backend's name, with the place of a device behind a colon; the first without
  /// @throws IllegalArgumentException with a sentence when there is none such
  static Chosen named(String words) {
    String[] parts = words.split(":", 2);
    StorageProvider provider =
        providers().stream()
            .filter(each -> each.name().equals(parts[0]))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "there is no storage '"
                            + parts[0]
                            + "': expected one of "
                            + String.join(
                                ", ", providers().stream().map(StorageProvider::name).toList())));
    int place = parts.length == 1 ? 0 : place(words, parts[1]);
    return switch (provider.probe()) {
      case Availability.Unavailable(String reason) ->
          throw new IllegalArgumentException(
              provider.name() + " is not available, because " + reason);
      case Availability.Available(List<DeviceInfo> devices) -> {
        if (place >= devices.size())
          throw new IllegalArgumentException(
              "there is no device "
                  + words
                  + ": this machine has "
                  + Words.count(devices.size(), provider.name() + " device"));
        yield new Chosen(provider, place, devices.get(place));
      }
    };
  }

  private static int place(String words, String digits) {
    if (digits.matches("[0-9]{1,4}")) return Integer.parseInt(digits);
    throw new IllegalArgumentException(
        "'" + words + "' names no device: expected a name and a number, such as opencl:0");
  }
}
