package dev.quarry.runtime;

import org.jspecify.annotations.Nullable;

/// Refusals that a test asked a device for. See [Device#injectRefusals].
///
/// Threads: every method may be called from any thread.
public final class InjectedRefusals implements AutoCloseable {
  private final Device<?> device;
  private final @Nullable Slot<?> slot;
  private int skip;
  private int left;

  InjectedRefusals(Device<?> device, @Nullable Slot<?> slot, int skip, int count) {
    if (skip < 0 || count < 0) {
      throw new IllegalArgumentException(
          "skip (" + skip + ") and count (" + count + ") must not be negative");
    }
    this.device = device;
    this.slot = slot;
    this.skip = skip;
    this.left = count;
  }

  /// Under the device's lock.
  boolean refuses(Slot<?> asked) {
    if (slot != null && slot != asked) return false;
    if (skip > 0) {
      skip--;
      return false;
    }
    if (left == 0) return false;
    left--;
    return true;
  }

  /// The refusals that were not met yet.
  public int left() {
    device.lock();
    try {
      return left;
    } finally {
      device.unlock();
    }
  }

  /// Ends the injection. Closing again does nothing.
  @Override
  public void close() {
    device.endInjection(this);
  }
}
