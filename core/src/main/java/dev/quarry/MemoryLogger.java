package dev.quarry;

import dev.quarry.failure.AllocationId;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryListener;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes one memory's log. Messages begin with the memory's name in brackets and are built only
/// when they will be written.
final class MemoryLogger {
  private final Logger logger;
  private final String prefix;
  private final MemoryLog level;
  private final Supplier<MemoryReport> report;

  /// The pool that has grown for the reservation being made.
  private int grown = -1;

  MemoryLogger(Logger logger, String name, MemoryLog level, Supplier<MemoryReport> report) {
    this.logger = logger;
    this.prefix = "[" + name + "] ";
    this.level = level;
    this.report = report;
  }

  /// A listener that tells `other` first, then this log; `null` when there is nobody to tell. What
  /// `other` throws is logged and goes no further.
  @Nullable MemoryListener listeningAfter(@Nullable MemoryListener other) {
    MemoryListener guarded = other == null ? null : event -> guard(other, event);
    if (level == MemoryLog.DISABLED) return guarded;
    return guarded == null ? this::log : guarded.and(this::log);
  }

  private void guard(MemoryListener other, MemoryEvent event) {
    try {
      other.on(event);
    } catch (RuntimeException e) {
      logger.log(Level.WARNING, prefix + "a listener failed on " + event, e);
    }
  }

  private void log(MemoryEvent event) {
    switch (event) {
      case MemoryEvent.Installed(var layout) -> info(() -> "layout: " + layout);
      case MemoryEvent.InstallRefused(var refusal) ->
          info(() -> "layout refused: " + refusal.message());
      case MemoryEvent.ModeChanged(boolean persistent) ->
          info(
              () ->
                  persistent
                      ? "reservations go to the persistent pool"
                      : "reservations go to the layout's pools");
      case MemoryEvent.CleanupRequested() -> info(() -> "explicit cleanup");
      case MemoryEvent.Refused(long size, var failure) ->
          info(() -> size + " bytes refused: " + failure.message());
      case MemoryEvent.PageAdded(int pool, _, _) -> grown = pool;
      case MemoryEvent.Reserved reserved -> logReserved(reserved);
      case MemoryEvent.Released _,
          MemoryEvent.Spilled _,
          MemoryEvent.PageMapped _,
          MemoryEvent.PageDropped _,
          MemoryEvent.Leaked _ -> {}
    }
  }

  private void logReserved(MemoryEvent.Reserved reserved) {
    boolean persistent = reserved.pool() == MemoryReport.PERSISTENT;
    boolean isNew = grown == reserved.pool();
    grown = -1;
    if (level != MemoryLog.FULL && !(persistent && isNew)) return;
    String pool = persistent ? "the persistent pool" : "pool " + reserved.pool();
    info(
        () ->
            reserved.size()
                + " bytes from "
                + (isNew ? "a new page of " : "")
                + pool
                + (isNew ? "\n" + report.get() : ""));
  }

  private void info(Supplier<String> message) {
    if (logger.isLoggable(Level.INFO)) logger.log(Level.INFO, prefix + message.get());
  }

  void warnSpill(int pool, long size) {
    logger.log(
        Level.WARNING,
        () ->
            prefix
                + "pool "
                + pool
                + " is at its cap: a request of "
                + size
                + " bytes was passed on, to the next pool that takes it if there is one");
  }

  void warnLeak(AllocationId id, long size, Optional<Throwable> reservedAt) {
    String message =
        prefix + "an owner of " + id + " (" + size + " bytes) was never closed; it is closed now";
    reservedAt.ifPresentOrElse(
        site -> logger.log(Level.WARNING, message, site),
        () ->
            logger.log(Level.WARNING, message + " (its reservation was not among those sampled)"));
  }

  void warnLiveAtClose(MemoryUsage left) {
    logger.log(
        Level.WARNING,
        () ->
            prefix
                + "closed with "
                + left.allocations()
                + " live allocations of "
                + left.bytesInUse()
                + " bytes");
  }
}
