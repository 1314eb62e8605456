package dev.quarry;

import dev.quarry.pool.Hold;

/// Keeps an allocation reserved without a say in whether it may be written in place. What work in
/// flight holds on its arguments.
public final class Binding extends Owner {
  Binding(Hold from) {
    super(from, false);
  }

  @Override
  public String toString() {
    return "binding to " + id() + " (" + size() + " bytes)";
  }
}
