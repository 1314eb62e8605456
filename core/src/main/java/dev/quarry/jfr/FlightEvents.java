package dev.quarry.jfr;

import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.ResolvedLayout;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryListener;
import dev.quarry.report.MemoryObserver;
import dev.quarry.report.MemorySource;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/// Turns what happens in memories into Flight Recorder events.
///
/// Observes a device, or listens to one memory. An event that no recording wants costs a check and
/// makes nothing. Reservations and releases are numbered over all memories that this object
/// observes, so that a trace can be made of them in their order.
///
/// Threads: may observe any number of memories and devices at once.
public final class FlightEvents implements MemoryObserver {
  private final long observer = new SplittableRandom().nextLong();
  private final AtomicLong sequence = new AtomicLong();

  /// Events of memories that are observed from now on.
  public FlightEvents() {}

  /// A listener for a memory that belongs to no device.
  ///
  /// @param memory what the events call it
  public MemoryListener listener(String memory) {
    return observe(new MemorySource(memory, 0, false));
  }

  @Override
  public MemoryListener observe(MemorySource source) {
    return event -> tell(source, event);
  }

  private void tell(MemorySource source, MemoryEvent event) {
    switch (event) {
      case MemoryEvent.Reserved reserved -> reserved(source, reserved);
      case MemoryEvent.Released released -> released(source, released);
      case MemoryEvent.PageAdded(int pool, long bytes, boolean mapped) ->
          pageAdded(source, pool, bytes, mapped);
      case MemoryEvent.PageMapped(int pool, long bytes) -> pageMapped(source, pool, bytes);
      case MemoryEvent.PageDropped(int pool, long bytes, boolean mapped) ->
          pageDropped(source, pool, bytes, mapped);
      case MemoryEvent.Spilled(long size, int pool) -> spilled(source, size, pool);
      case MemoryEvent.Refused(long size, MemoryFailure failure) -> refused(source, size, failure);
      case MemoryEvent.Installed(ResolvedLayout layout) -> installed(source, layout);
      case MemoryEvent.InstallRefused(InstallRefusal refusal) -> installRefused(source, refusal);
      case MemoryEvent.Leaked leaked -> leaked(source, leaked);
      case MemoryEvent.CleanupRequested _, MemoryEvent.ModeChanged _ -> {}
    }
  }

  private void reserved(MemorySource source, MemoryEvent.Reserved reserved) {
    long number = sequence.getAndIncrement();
    ReservationEvent event = new ReservationEvent();
    if (!event.isEnabled()) return;
    event.observer = observer;
    event.sequence = number;
    event.allocation = reserved.id().value();
    event.size = reserved.size();
    event.pool = reserved.pool();
    event.page = reserved.page();
    event.offset = reserved.offset();
    event.label = reserved.label().orElse(null);
    commit(source, event);
  }

  private void released(MemorySource source, MemoryEvent.Released released) {
    long number = sequence.getAndIncrement();
    ReleaseEvent event = new ReleaseEvent();
    if (!event.isEnabled()) return;
    event.observer = observer;
    event.sequence = number;
    event.allocation = released.id().value();
    event.size = released.size();
    commit(source, event);
  }

  private static void pageAdded(MemorySource source, int pool, long bytes, boolean mapped) {
    PageAddedEvent event = new PageAddedEvent();
    if (!event.isEnabled()) return;
    event.pool = pool;
    event.bytes = bytes;
    event.mapped = mapped;
    commit(source, event);
  }

  private static void pageMapped(MemorySource source, int pool, long bytes) {
    PageMappedEvent event = new PageMappedEvent();
    if (!event.isEnabled()) return;
    event.pool = pool;
    event.bytes = bytes;
    commit(source, event);
  }

  private static void pageDropped(MemorySource source, int pool, long bytes, boolean mapped) {
    PageDroppedEvent event = new PageDroppedEvent();
    if (!event.isEnabled()) return;
    event.pool = pool;
    event.bytes = bytes;
    event.mapped = mapped;
    commit(source, event);
  }

  private static void spilled(MemorySource source, long size, int pool) {
    SpillEvent event = new SpillEvent();
    if (!event.isEnabled()) return;
    event.size = size;
    event.pool = pool;
    commit(source, event);
  }

  private static void refused(MemorySource source, long size, MemoryFailure failure) {
    RefusalEvent event = new RefusalEvent();
    if (!event.isEnabled()) return;
    event.size = size;
    event.failure = failure.getClass().getSimpleName();
    event.reason = failure.message();
    commit(source, event);
  }

  private static void installed(MemorySource source, ResolvedLayout layout) {
    InstallEvent event = new InstallEvent();
    if (!event.isEnabled()) return;
    event.layout = layout.toString();
    commit(source, event);
  }

  private static void installRefused(MemorySource source, InstallRefusal refusal) {
    InstallEvent event = new InstallEvent();
    if (!event.isEnabled()) return;
    event.refusal = refusal.message();
    commit(source, event);
  }

  private static void leaked(MemorySource source, MemoryEvent.Leaked leaked) {
    LeakEvent event = new LeakEvent();
    if (!event.isEnabled()) return;
    event.allocation = leaked.id().value();
    event.size = leaked.size();
    commit(source, event);
  }

  private static void commit(MemorySource source, MemoryFlightEvent event) {
    event.memory = source.name();
    event.stream = source.stream();
    event.pinned = source.pinned();
    event.commit();
  }
}
