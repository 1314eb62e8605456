package dev.quarry.replay;

import java.lang.System.Logger;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/// Drops everything. A replay fills pools on purpose and counts what a program would be warned of.
final class SilentLogger implements Logger {
  @Override
  public String getName() {
    return "quarry.replay";
  }

  @Override
  public boolean isLoggable(Level level) {
    return false;
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {}

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object... params) {}
}
