package dev.quarry;

import dev.quarry.storage.Mapping;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// A scope in which work is measured and not done: reservations made in it get no device memory
/// until they are located, and launches are skipped.
///
/// Process-wide, because work is issued by one thread and reserved by another: the process is in a
/// dry run while at least one is open. Scopes nest, and may overlap across threads in any order.
/// Whoever opens a dry run is sure of it for what the same thread issues afterwards; other threads
/// see it as soon as they see the counter.
///
/// ```java
/// try (DryRun _ = DryRun.open()) {
///   work(memory);
/// }
/// memory.install(memory.report().cappedLayout());
/// ```
public final class DryRun implements AutoCloseable {
  private static final AtomicInteger DEPTH = new AtomicInteger();

  private final AtomicBoolean open = new AtomicBoolean(true);

  private DryRun() {
    DEPTH.incrementAndGet();
  }

  /// Opens a dry run.
  public static DryRun open() {
    return new DryRun();
  }

  /// Whether the process is in a dry run.
  public static boolean isOpen() {
    return DEPTH.get() > 0;
  }

  /// How a reservation issued now is to be mapped. A [RealRun] does not change it: what is really
  /// run gets its memory by being located. A program that reserves on another thread samples this
  /// on the issuing thread and passes it along.
  public static Mapping mapping() {
    return isOpen() ? Mapping.LAZY : Mapping.EAGER;
  }

  /// Closes this dry run, from any thread. Closing again does nothing.
  @Override
  public void close() {
    if (open.compareAndSet(true, false)) DEPTH.decrementAndGet();
  }
}
