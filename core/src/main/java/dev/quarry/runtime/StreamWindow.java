package dev.quarry.runtime;

import dev.quarry.PersistentWindow;

/// A scope in which reservations on a stream's slot go to its persistent pool. Windows nest.
/// Closing again does nothing.
///
/// Threads: may be closed from any thread. What other threads reserve on the slot meanwhile goes to
/// the persistent pool too.
public final class StreamWindow implements AutoCloseable {
  private final Device<?> device;
  private final PersistentWindow window;

  StreamWindow(Device<?> device, PersistentWindow window) {
    this.device = device;
    this.window = window;
  }

  @Override
  public void close() {
    device.lock();
    try {
      window.close();
    } finally {
      device.unlock();
    }
  }
}
