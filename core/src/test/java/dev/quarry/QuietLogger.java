package dev.quarry;

import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/// Keeps what is logged, instead of printing it.
public final class QuietLogger implements Logger {
  public final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  public final List<String> infos = Collections.synchronizedList(new ArrayList<>());
  public final List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());

  public QuietLogger() {}

  @Override
  public String getName() {
    return "quiet";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable cause) {
    (level == Level.WARNING ? warnings : infos).add(String.valueOf(message));
    if (cause != null) thrown.add(cause);
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object... params) {
    log(level, bundle, format, (Throwable) null);
  }
}
