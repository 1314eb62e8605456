package dev.quarry.jfr;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Locale;
import java.util.Objects;
import jdk.jfr.Configuration;

/// Settings for a recording of nothing but memory.
///
/// ```java
/// try (Recording recording = new Recording(FlightProfile.MEMORY.configuration())) {
///   recording.start();
/// }
/// ```
public enum FlightProfile {
  /// Pages, spills, refusals, installs and leaks, and a snapshot of every pool each second.
  MEMORY,
  /// All of that, and every reservation and release, from which a trace can be made.
  TRACE;

  private String file() {
    return "quarry-" + name().toLowerCase(Locale.ROOT) + ".jfc";
  }

  /// The settings, for a `jdk.jfr.Recording`.
  public Configuration configuration() {
    try (InputStream in = resource()) {
      return Configuration.create(new InputStreamReader(in, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ParseException e) {
      throw new IllegalStateException(file() + " in this library is broken", e);
    }
  }

  /// Writes the settings to a file, for `-XX:StartFlightRecording:settings=` and `jcmd`.
  ///
  /// @throws IOException when the file exists or can not be written
  public void writeTo(Path file) throws IOException {
    try (InputStream in = resource()) {
      Files.copy(in, file);
    }
  }

  private InputStream resource() {
    return Objects.requireNonNull(FlightProfile.class.getResourceAsStream(file()), file());
  }
}
