package dev.quarry.replay;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.Reservation;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.replay.ReplayResult.Backed;
import dev.quarry.replay.ReplayResult.Checksums;
import dev.quarry.replay.ReplayResult.Refusal;
import dev.quarry.report.MemoryEvent;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceException;
import dev.quarry.trace.TraceReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One run of a trace through the pools of a layout.
///
/// The pools are the real ones. Over a storage without memory, work of hundreds of gigabytes
/// replays in a small heap; over a real one it shows what the device grants. All streams of a trace
/// share the one memory. A lifetime ends when its free has completed. A request that is refused is
/// counted, and its free passed over; the replay goes on.
///
/// Any thread may start a replay; each runs on its own.
///
/// ```java
/// ReplayResult result = Replay.of(trace, Layout.parse("sliced:page=64MiB"), new DeviceProperties(2L << 30, 32));
/// long reserved = result.reservedPeak();
/// ```
public final class Replay {
  private final DeviceProperties device;
  private final ReplayOptions options;
  private final Storage<?> storage;
  private final DeviceMemory<?> memory;
  private final @Nullable PageToucher<?> toucher;

  /// Real memory is mapped when it is reserved, so that the device can refuse it there.
  private final Mapping mapping;

  private final Map<Long, Handle> live = new HashMap<>();

  private Checksums checksums = Checksums.START;
  private long events;
  private long allocations;
  private long liveBytes;
  private long load;
  private long reserved;
  private long reservedPeak;
  private long paddingAtPeak;
  private long firstPageEnd;
  private long spills;
  private long refusals;
  private @Nullable Refusal firstRefusal;

  private final boolean isBacked;

  /// The bytes of the page that the request at hand had mapped; 0 for none.
  private long mappedPage;

  private long allocatedPeak;
  private long pagesTouched;

  private Replay(
      Storage<?> storage, Layout layout, DeviceProperties device, ReplayOptions options) {
    this.device = device;
    this.options = options;
    this.storage = storage;
    this.memory =
        DeviceMemory.on(storage, device)
            .name("replay")
            .layout(layout)
            .listener(this::note)
            .logger(new SilentLogger())
            .open();
    this.isBacked = !(storage instanceof CountingStorage);
    this.mapping = isBacked || options.checksums() ? Mapping.EAGER : Mapping.LAZY;
    this.toucher = isBacked && options.touch() ? new PageToucher<>(storage) : null;
  }

  /// Runs a trace from beginning to end over a storage without memory.
  ///
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for the device
  /// @throws TraceException when the trace can not be read, an allocation needs a larger alignment
  ///   than the device has, or the live bytes exceed the range of a `long`
  public static ReplayResult of(Trace trace, Layout layout, DeviceProperties device) {
    return of(trace, layout, device, ReplayOptions.DEFAULT);
  }

  /// Runs a trace from beginning to end over a storage without memory.
  ///
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for the device
  /// @throws TraceException when the trace can not be read, an allocation needs a larger alignment
  ///   than the device has, or the live bytes exceed the range of a `long`
  public static ReplayResult of(
      Trace trace, Layout layout, DeviceProperties device, ReplayOptions options) {
    return on(new CountingStorage(), trace, layout, device, options);
  }

  /// Runs a trace from beginning to end over a real storage, whose pages are allocated when they
  /// are reserved. What the device refuses counts as refused.
  ///
  /// @param storage holds nothing yet; is closed at the end, also when this throws
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for the device
  /// @throws TraceException when the trace can not be read, an allocation needs a larger alignment
  ///   than the device has, or the live bytes exceed the range of a `long`
  /// @throws dev.quarry.failure.MemoryException when the storage fails otherwise than by refusing
  public static ReplayResult on(
      Storage<?> storage,
      Trace trace,
      Layout layout,
      DeviceProperties device,
      ReplayOptions options) {
    try (storage) {
      Replay replay = new Replay(storage, layout, device, options);
      try (replay.memory;
          replay.toucher;
          TraceReader reader = trace.open()) {
        for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
          replay.events++;
          if ((replay.events & 0xfff) == 0) options.progress().accept(reader.position());
          replay.apply(trace, event);
        }
        return replay.result();
      }
    }
  }

  private void apply(Trace trace, TraceEvent event) {
    switch (event) {
      case Allocate allocate -> allocate(trace, allocate);
      case Free free when free.kind() == Free.Kind.COMPLETED -> free(free);
      case Free _, TraceEvent.Mark _, TraceEvent.Failure _, TraceEvent.Segment _ -> {}
    }
  }

  private void allocate(Trace trace, Allocate asked) {
    if (device.alignment() % asked.alignment() != 0) {
      throw new TraceException(
          trace.name(),
          0,
          "allocation " + nameOf(asked) + " with an alignment of " + asked.alignment(),
          "alignments that divide the device's " + device.alignment());
    }
    allocations++;
    if (asked.size() > Long.MAX_VALUE - liveBytes) {
      throw new TraceException(
          trace.name(),
          0,
          "live sizes beyond 64 bits at event " + events,
          "at most " + Long.MAX_VALUE + " bytes");
    }
    liveBytes += asked.size();
    load = Math.max(load, liveBytes);
    mappedPage = 0;
    switch (memory.tryReserve(asked.size(), mapping)) {
      case Handle handle -> {
        live.put(asked.id(), handle);
        notePeak();
        if (mappedPage > 0) noteBacking(asked, memory.locate(handle).id());
        if (options.checksums())
          checksums = checksums.with(memory.placement(handle), memory.locate(handle));
      }
      case Reservation.Refused(MemoryFailure failure) -> refuse(asked, failure);
    }
  }

  private void refuse(Allocate asked, MemoryFailure failure) {
    refusals++;
    if (firstRefusal == null)
      firstRefusal = new Refusal(events, nameOf(asked), asked.size(), failure);
  }

  /// The storage has a page more.
  private void noteBacking(Allocate asked, StorageId page) {
    allocatedPeak = Math.max(allocatedPeak, storage.bytesAllocated());
    if (toucher == null) return;
    pagesTouched++;
    toucher.touch(new Region(page, 0, mappedPage)).ifPresent(failure -> refuse(asked, failure));
  }

  private void notePeak() {
    if (reserved <= reservedPeak) return;
    reservedPeak = reserved;
    paddingAtPeak = memory.usage().bytesPadding();
  }

  private static String nameOf(Allocate asked) {
    return asked.tag() == null ? String.valueOf(asked.id()) : asked.tag();
  }

  private void free(Free free) {
    liveBytes -= free.size();
    Handle handle = live.remove(free.id());
    if (handle != null) handle.close();
  }

  private void note(MemoryEvent event) {
    switch (event) {
      case MemoryEvent.PageAdded(_, long bytes, boolean mapped) -> {
        reserved += bytes;
        if (mapped) mappedPage = bytes;
      }
      case MemoryEvent.PageDropped(_, long bytes, _) -> reserved -= bytes;
      case MemoryEvent.Spilled _ -> spills++;
      case MemoryEvent.Reserved(_, long size, _, int page, long offset, _) -> {
        if (page == 0) firstPageEnd = Math.max(firstPageEnd, offset + size);
      }
      case MemoryEvent.Released _,
          MemoryEvent.Refused _,
          MemoryEvent.PageMapped _,
          MemoryEvent.CleanupRequested _,
          MemoryEvent.ModeChanged _,
          MemoryEvent.Installed _,
          MemoryEvent.InstallRefused _,
          MemoryEvent.Leaked _ -> {}
    }
  }

  private ReplayResult result() {
    return new ReplayResult(
        memory.report(),
        events,
        allocations,
        load,
        reservedPeak,
        paddingAtPeak,
        firstPageEnd,
        spills,
        refusals,
        Optional.ofNullable(firstRefusal),
        options.checksums() ? Optional.of(checksums) : Optional.empty(),
        isBacked ? Optional.of(new Backed(allocatedPeak, pagesTouched)) : Optional.empty());
  }
}
