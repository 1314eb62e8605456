package dev.quarry.report;

/// Observes a device: gives each of its memories the listener that hears it, when the memory is
/// made. Listeners of one device are called one at a time, under its lock.
@FunctionalInterface
public interface MemoryObserver {
  /// The listener of a memory.
  MemoryListener observe(MemorySource source);
}
