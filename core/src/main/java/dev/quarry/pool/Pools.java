package dev.quarry.pool;

import dev.quarry.failure.ErrorGraph;
import dev.quarry.failure.Holder;
import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.InstallRefusal.CaptureActive;
import dev.quarry.failure.InstallRefusal.PoolsInUse;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.failure.MemoryFailure.PoolCapacityExceeded;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.ResolvedLayout;
import dev.quarry.report.MemoryEvent.Released;
import dev.quarry.report.MemoryEvent.Spilled;
import dev.quarry.report.MemoryListener;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import dev.quarry.size.Alignment;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Storage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The pools of one memory, and the policy by which requests reach them.
public final class Pools {
  private final Pool.Site site;
  private final ErrorGraph graph;
  private final Watch watch;
  private final boolean sizeMatch;
  private final HandBack handBack = new HandBack();
  private final Backing backing;
  private final PersistentPool persistent;

  private Pool[] dynamic;
  private Routes routes;
  private final BitSet warned = new BitSet();
  private long reservations;
  private long ageDue;
  private @Nullable Capture capture;

  /// Hears what an operator should know.
  public interface Watch {
    /// A capped pool is full for the first time since its layout was installed.
    void firstSpill(int pool, long size);

    /// An owner became unreachable without being closed.
    void leaked(Slice slice);
  }

  /// @param sizeMatch whether requests of a size that the persistent pool holds go there without
  ///   being told to
  public Pools(
      Storage<?> storage,
      ResolvedLayout layout,
      boolean sizeMatch,
      ErrorGraph graph,
      @Nullable MemoryListener listener,
      Watch watch) {
    this.graph = graph;
    this.watch = watch;
    this.sizeMatch = sizeMatch;
    this.backing = new Backing(storage, listener);
    this.site =
        new Pool.Site(
            new Alignment(layout.properties().alignment()), handBack, backing, new IdSource(graph));
    this.persistent = new PersistentPool(MemoryReport.PERSISTENT, site);
    this.dynamic = build(layout);
    this.routes = new Routes(dynamic);
    this.ageDue = earliestAgeDue();
  }

  private Pool[] build(ResolvedLayout layout) {
    Pool[] pools = new Pool[layout.pools().size()];
    for (int i = 0; i < pools.length; i++) {
      pools[i] =
          switch (layout.pools().get(i)) {
            case PoolSpec.Sliced sliced -> new SlicedPool(i, sliced, site);
            case PoolSpec.Exclusive exclusive -> new ExclusivePool(i, exclusive, site);
            case PoolSpec.Direct direct -> new DirectPool(i, direct, site);
          };
    }
    return pools;
  }

  // Reserving.

  /// Serves a request for a handle that will own it, from the persistent pool if `toPersistent` or
  /// if a capture is active.
  public Placed reserve(Object handle, long size, Mapping mapping, boolean toPersistent) {
    drain();
    reservations++;
    if (reservations >= ageDue && capture == null) {
      try {
        age();
      } catch (MemoryException e) {
        return new Placed.Refused(e.failure());
      }
    }
    if (!site.alignment().canRound(size)) return new Placed.Refused(new BufferTooBig(size));
    Placed placed = route(handle, size, mapping, toPersistent || capture != null);
    if (capture != null && placed instanceof Slice slice) capture.note(slice);
    return placed;
  }

  private Placed route(Object handle, long size, Mapping mapping, boolean toPersistent) {
    if (toPersistent || sizeMatch) {
      Slice held = persistent.tryReserve(handle, size);
      if (held != null) return held;
    }
    if (toPersistent || (sizeMatch && persistent.hasSize(size)))
      return persistent.grow(handle, size, mapping);
    return routeDynamic(handle, size, mapping);
  }

  /// A pool that accepts is asked to grow before a later pool's free room is looked at. Only a full
  /// capped pool passes a request on; any other refusal is final, though a pool that was full
  /// before it is the better explanation.
  private Placed routeDynamic(Object handle, long size, Mapping mapping) {
    Placed.Refused full = null;
    for (int number = routes.firstFor(size); number < dynamic.length; number++) {
      Pool pool = dynamic[number];
      if (full != null && !pool.accepts(size)) continue;
      Slice held = pool.tryReserve(handle, size);
      if (held != null) return held;
      Placed grown = pool.grow(handle, size, mapping);
      if (grown instanceof Slice) return grown;
      Placed.Refused refused = (Placed.Refused) grown;
      if (!(refused.failure() instanceof PoolCapacityExceeded))
        return full != null ? full : refused;
      full = refused;
      noteSpill(pool.position, size);
    }
    return full != null ? full : new Placed.Refused(new BufferTooBig(size));
  }

  private void noteSpill(int pool, long size) {
    if (backing.isObserved()) backing.tell(new Spilled(size, pool));
    if (warned.get(pool)) return;
    warned.set(pool);
    watch.firstSpill(pool, size);
  }

  // Taking back.

  /// Takes back every slice whose last owner was closed before this call, or became unreachable.
  public void drain() {
    takeBackAll();
    Hold lost = (Hold) handBack.lost.poll();
    if (lost == null) return;
    for (; lost != null; lost = (Hold) handBack.lost.poll()) {
      if (lost.giveUp()) watch.leaked(lost.slice());
    }
    takeBackAll();
  }

  private void takeBackAll() {
    Slice slice = inOrderOfClosing(handBack.takeAll());
    while (slice != null) {
      Slice next = slice.next;
      slice.next = null;
      slice.shed(graph);
      if (backing.isObserved()) backing.tell(new Released(slice.allocation(), slice.bytes()));
      slice.page.pool.takeBack(slice);
      slice = next;
    }
  }

  private static @Nullable Slice inOrderOfClosing(@Nullable Slice latest) {
    if (latest == null || latest.next == null) return latest;
    Slice first = null;
    while (latest != null) {
      Slice earlier = latest.next;
      latest.next = first;
      first = latest;
      latest = earlier;
    }
    return first;
  }

  /// Whether the slice is one of these pools'.
  boolean own(Slice slice) {
    return slice.handBack() == handBack;
  }

  // Cleaning up.

  /// @throws MemoryException when the storage does not take aged pages back; the pools have given
  ///   them up all the same
  private void age() {
    try {
      for (Pool pool : dynamic) {
        if (reservations >= pool.ageDue()) pool.age(reservations);
      }
    } finally {
      ageDue = earliestAgeDue();
    }
    backing.flushIfNeeded();
  }

  private long earliestAgeDue() {
    long due = Long.MAX_VALUE;
    for (Pool pool : dynamic) due = Math.min(due, pool.ageDue());
    return due;
  }

  /// Gives up every page without a live slice; does nothing during a capture.
  public void cleanUp() {
    drain();
    if (capture != null) return;
    try {
      persistent.cleanUp(reservations);
      for (Pool pool : dynamic) pool.cleanUp(reservations);
    } finally {
      ageDue = earliestAgeDue();
    }
    backing.flush();
  }

  /// Replaces the dynamic pools by those of a layout, unless allocations live in them or a capture
  /// is active.
  ///
  /// @return why not; the pools are then as before, apart from free pages given up
  public Optional<InstallRefusal> install(ResolvedLayout layout) {
    if (capture != null) return Optional.of(new CaptureActive());
    cleanUp();
    long live = 0;
    long bytesInUse = 0;
    for (Pool pool : dynamic) {
      live += pool.allocations();
      bytesInUse += pool.bytesInUse();
    }
    if (live > 0) return Optional.of(new PoolsInUse(bytesInUse));
    dynamic = build(layout);
    routes = new Routes(dynamic);
    warned.clear();
    ageDue = earliestAgeDue();
    return Optional.empty();
  }

  // Capturing.

  /// Begins a capture; an active one goes on.
  public void beginCapture() {
    if (capture == null) capture = new Capture();
  }

  public boolean isCapturing() {
    return capture != null;
  }

  /// Lets what was handed out so far be used again.
  public void endPriming() {
    if (capture != null) capture.endPriming();
  }

  /// Ends the capture, if there is one, and gives every slice it touched one handle more.
  public List<Slice> endCapture() {
    if (capture == null) return List.of();
    drain();
    List<Slice> pinned = persistent.pin(capture.latest());
    capture.endPriming();
    capture = null;
    return pinned;
  }

  // Reporting.

  public MemoryUsage usage() {
    drain();
    MemoryUsage usage = persistent.usage();
    for (Pool pool : dynamic) usage = usage.plus(pool.usage());
    return usage;
  }

  /// The live allocations by label, those with the most bytes first. Looks at every one.
  public List<Holder> holders() {
    drain();
    Map<String, Holder> byLabel = new HashMap<>();
    Consumer<Slice> count =
        slice ->
            byLabel.merge(
                slice.label().orElse(""),
                new Holder(slice.label().orElse(""), 1, slice.size()),
                (a, b) ->
                    new Holder(
                        a.label(), a.allocations() + b.allocations(), a.bytes() + b.bytes()));
    persistent.forEachLive(count);
    for (Pool pool : dynamic) pool.forEachLive(count);
    return byLabel.values().stream()
        .sorted(
            Comparator.comparingLong(Holder::bytes)
                .thenComparingLong(Holder::allocations)
                .reversed()
                .thenComparing(Holder::label))
        .toList();
  }

  public MemoryReport report(String name) {
    drain();
    List<PoolReport> reports = new ArrayList<>(dynamic.length);
    for (Pool pool : dynamic) reports.add(pool.report());
    return new MemoryReport(name, reports, persistent.report());
  }
}
