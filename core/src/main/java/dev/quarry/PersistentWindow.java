package dev.quarry;

/// A scope in which reservations of one memory go to its persistent pool. Windows nest; the memory
/// goes back to its layout's pools with the last one. Belongs to the thread that owns the memory.
/// Closing again does nothing.
public final class PersistentWindow implements AutoCloseable {
  private final DeviceMemory<?> memory;
  private boolean open = true;

  PersistentWindow(DeviceMemory<?> memory) {
    this.memory = memory;
  }

  @Override
  public void close() {
    if (!open) return;
    open = false;
    memory.closeWindow();
  }
}
