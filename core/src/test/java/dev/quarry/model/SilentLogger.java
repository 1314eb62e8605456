package dev.quarry.model;

import java.util.ResourceBundle;

/// Takes a memory's warnings and drops them; random layouts overflow all the time.
final class SilentLogger implements System.Logger {
  @Override
  public String getName() {
    return "silent";
  }

  @Override
  public boolean isLoggable(Level level) {
    return false;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {}

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... params) {}
}
