package dev.quarry.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Supplier;

/// Where LWJGL writes what it wants to say: nowhere. A library that is missing is an answer of
/// `quarry devices`, not news for the standard error. LWJGL makes one by its name.
public final class SilentStream implements Supplier<PrintStream> {
  /// Made by LWJGL.
  public SilentStream() {}

  @Override
  public PrintStream get() {
    return new PrintStream(OutputStream.nullOutputStream());
  }
}
