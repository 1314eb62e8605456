package dev.quarry.cli;

import java.io.IOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/// The version that the build wrote beside this class, and the Java that runs it.
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    var properties = new Properties();
    try (var file = Version.class.getResourceAsStream("version.properties")) {
      properties.load(file);
    }
    return new String[] {
      "quarry " + properties.getProperty("version") + " (Java " + Runtime.version() + ")"
    };
  }
}
