package dev.quarry.model;

import dev.quarry.AllocationMode;
import dev.quarry.PersistentMemory;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.ResolvedLayout;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A memory as the rules describe it, with no thought for speed.
///
/// Owners are counted in the allocation itself. What has lost its last owner is noticed at the
/// start of the next operation of the pools, and loses its claims there.
final class NaiveMemory {
  final NaiveStorage storage;

  private final String name;
  private final long alignment;
  private final PersistentMemory setting;
  private final AllocationMode baseMode;
  private final NaivePersistentPool persistent = new NaivePersistentPool(this);
  private List<NaivePool> dynamic;
  private long reservations;
  private int windows;
  private @Nullable List<NaiveAllocation> touched;
  private final List<NaiveAllocation> primed = new ArrayList<>();
  private boolean priming;

  NaiveMemory(
      String name,
      ResolvedLayout layout,
      long capacity,
      PersistentMemory setting,
      Optional<AllocationMode> mode) {
    this.name = name;
    this.storage = new NaiveStorage(capacity);
    this.alignment = layout.properties().alignment();
    this.setting = setting;
    this.baseMode =
        mode.orElse(
            setting == PersistentMemory.ENFORCED ? AllocationMode.PERSISTENT : AllocationMode.AUTO);
    this.dynamic = build(layout);
  }

  private List<NaivePool> build(ResolvedLayout layout) {
    List<NaivePool> pools = new ArrayList<>();
    for (PoolSpec spec : layout.pools()) {
      int position = pools.size();
      pools.add(
          switch (spec) {
            case PoolSpec.Sliced sliced -> new NaiveSlicedPool(position, sliced, this);
            case PoolSpec.Exclusive exclusive -> new NaiveExclusivePool(position, exclusive, this);
            case PoolSpec.Direct direct -> new NaiveDirectPool(position, direct, this);
          });
    }
    return pools;
  }

  long alignment() {
    return alignment;
  }

  private List<NaivePool> all() {
    List<NaivePool> all = new ArrayList<>(dynamic);
    all.add(persistent);
    return all;
  }

  private void noticeFreed() {
    for (NaivePool pool : all()) {
      pool.heldPages().forEach(NaivePage::noticeFreed);
    }
  }

  // Reserving.

  NaiveOutcome reserve(long size, Mapping mapping) {
    noticeFreed();
    reservations++;
    if (touched == null) {
      dynamic.forEach(pool -> pool.cleanUp(false, reservations));
      storage.flushIfNeeded();
    }
    if (size > Long.MAX_VALUE - persistent.padding(size))
      return new NaiveOutcome.Refused(new MemoryFailure.BufferTooBig(size));
    try {
      return new NaiveOutcome.Served(note(route(size, mapping)));
    } catch (MemoryException e) {
      return new NaiveOutcome.Refused(e.failure());
    }
  }

  private NaiveAllocation route(long size, Mapping mapping) {
    boolean inPersistentMode = mode() == AllocationMode.PERSISTENT;
    boolean bySize = setting == PersistentMemory.SIZE_MATCH;
    if (inPersistentMode || bySize) {
      NaiveAllocation held = persistent.tryReserve(size);
      if (held != null) return held;
      if (inPersistentMode || persistent.hasSize(size)) return persistent.grow(size, mapping);
    }
    MemoryException full = null;
    for (NaivePool pool : dynamic) {
      if (!pool.accepts(size)) continue;
      NaiveAllocation held = pool.tryReserve(size);
      if (held != null) return held;
      try {
        return pool.grow(size, mapping);
      } catch (MemoryException e) {
        boolean isFull = e.failure() instanceof MemoryFailure.PoolCapacityExceeded;
        if (!isFull) throw full == null ? e : full;
        full = e;
      }
    }
    throw full == null ? new MemoryException(new MemoryFailure.BufferTooBig(size)) : full;
  }

  private NaiveAllocation note(NaiveAllocation allocation) {
    if (touched == null) return allocation;
    touched.add(allocation);
    if (priming) {
      allocation.handles++;
      primed.add(allocation);
    }
    return allocation;
  }

  /// Where the bytes are; maps the page first.
  Region locate(NaiveAllocation allocation) {
    NaivePage page = allocation.page;
    if (!page.isMapped()) {
      try {
        page.map(storage);
      } catch (MemoryException e) {
        throw new MemoryException(new MemoryFailure.MappingFailed(page.size, e.failure()), e);
      }
    }
    return new Region(new StorageId(page.storageNumber()), allocation.offset, allocation.size);
  }

  // Cleaning up and installing.

  void cleanUp() {
    noticeFreed();
    if (touched != null) return;
    persistent.cleanUp(true, reservations);
    dynamic.forEach(pool -> pool.cleanUp(true, reservations));
    storage.flush();
  }

  Optional<InstallRefusal> install(ResolvedLayout layout) {
    if (touched != null) return Optional.of(new InstallRefusal.CaptureActive());
    cleanUp();
    long live = 0;
    long bytes = 0;
    for (NaivePool pool : dynamic) {
      live += pool.usage().allocations();
      bytes += pool.usage().bytesInUse();
    }
    if (live > 0) return Optional.of(new InstallRefusal.PoolsInUse(bytes));
    dynamic = build(layout);
    return Optional.empty();
  }

  // Windows and captures.

  AllocationMode mode() {
    if (touched != null) return AllocationMode.PERSISTENT;
    boolean honoured =
        setting == PersistentMemory.ENABLED || setting == PersistentMemory.SIZE_MATCH;
    return honoured && windows > 0 ? AllocationMode.PERSISTENT : baseMode;
  }

  void openWindow() {
    windows++;
  }

  void closeWindow() {
    windows--;
  }

  boolean isCapturing() {
    return touched != null;
  }

  void beginCapture() {
    if (touched != null) return;
    touched = new ArrayList<>();
    priming = true;
  }

  void endPriming() {
    priming = false;
    primed.forEach(allocation -> allocation.handles--);
    primed.clear();
  }

  List<NaiveAllocation> endCapture() {
    if (touched == null) return List.of();
    noticeFreed();
    List<NaiveAllocation> pinned = persistent.pin(touched);
    endPriming();
    touched = null;
    return pinned;
  }

  // Reporting.

  MemoryUsage usage() {
    noticeFreed();
    return all().stream().map(NaivePool::usage).reduce(MemoryUsage.NONE, MemoryUsage::plus);
  }

  long bytesReserved() {
    return all().stream()
        .flatMap(pool -> pool.heldPages().stream())
        .mapToLong(page -> page.size)
        .sum();
  }

  long bytesUnmapped() {
    return all().stream()
        .flatMap(pool -> pool.heldPages().stream())
        .filter(page -> !page.isMapped())
        .mapToLong(page -> page.size)
        .sum();
  }

  MemoryReport report() {
    noticeFreed();
    return new MemoryReport(
        name, dynamic.stream().map(NaivePool::report).toList(), persistent.report());
  }

  /// The failures that some allocation carries.
  List<FailureId> failures() {
    return all().stream()
        .flatMap(pool -> pool.heldPages().stream())
        .flatMap(page -> page.allocations.stream())
        .flatMap(allocation -> allocation.claims.failures().stream())
        .distinct()
        .toList();
  }
}
