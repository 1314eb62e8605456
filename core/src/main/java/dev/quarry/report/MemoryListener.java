package dev.quarry.report;

/// Hears what happens in a memory: the one place to observe from. Metrics, recorders of traces and
/// flight recorder events are listeners.
///
/// Called by the thread that owns the memory, in the middle of an operation: a listener must be
/// quick and must not call the memory. An exception it throws is logged and otherwise ignored.
@FunctionalInterface
public interface MemoryListener {
  /// Takes notice of an event.
  void on(MemoryEvent event);

  /// A listener that tells both, this one first.
  default MemoryListener and(MemoryListener next) {
    return event -> {
      on(event);
      next.on(event);
    };
  }
}
