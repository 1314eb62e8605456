package dev.quarry.replay;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.Reservation;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.replay.ReplayResult.Checksums;
import dev.quarry.replay.ReplayResult.Refusal;
import dev.quarry.report.MemoryEvent;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceException;
import dev.quarry.trace.TraceReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One run of a trace through the pools of a layout.
///
/// The pools are the real ones over a storage without memory, so work of hundreds of gigabytes
/// replays in a small heap. All streams of a trace share the one memory. A lifetime ends when its
/// free has completed. A request that is refused is counted, and its free passed over; the replay
/// goes on.
///
/// Any thread may start a replay; each runs on its own.
///
/// ```java
/// ReplayResult result = Replay.of(trace, Layout.parse("sliced:page=64MiB"), new DeviceProperties(2L << 30, 32));
/// long reserved = result.reservedPeak();
/// ```
public final class Replay {
  private final DeviceProperties device;
  private final boolean withChecksums;
  private final DeviceMemory<Region> memory;
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

  private Replay(Layout layout, DeviceProperties device, boolean withChecksums) {
    this.device = device;
    this.withChecksums = withChecksums;
    this.memory =
        DeviceMemory.on(new CountingStorage(), device)
            .name("replay")
            .layout(layout)
            .listener(this::note)
            .logger(new SilentLogger())
            .open();
  }

  /// Runs a trace from beginning to end.
  ///
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for the device
  /// @throws TraceException when the trace can not be read, an allocation needs a larger alignment
  ///   than the device has, or the live bytes exceed the range of a `long`
  public static ReplayResult of(Trace trace, Layout layout, DeviceProperties device) {
    return of(trace, layout, device, false, position -> {});
  }

  /// Runs a trace, and computes placement checksums if asked to; slower then.
  ///
  /// @param progress told the reader's [position][TraceReader#position] now and then
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for the device
  /// @throws TraceException when the trace can not be read, an allocation needs a larger alignment
  ///   than the device has, or the live bytes exceed the range of a `long`
  public static ReplayResult of(
      Trace trace,
      Layout layout,
      DeviceProperties device,
      boolean withChecksums,
      LongConsumer progress) {
    Replay replay = new Replay(layout, device, withChecksums);
    try (replay.memory;
        TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
        replay.events++;
        if ((replay.events & 0xfff) == 0) progress.accept(reader.position());
        replay.apply(trace, event);
      }
      return replay.result();
    }
  }

  private void apply(Trace trace, TraceEvent event) {
    switch (event) {
      case Allocate allocate -> allocate(trace, allocate);
      case Free free when free.kind() == Free.Kind.COMPLETED -> free(free);
      case Free _, TraceEvent.Mark _, TraceEvent.Failure _ -> {}
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
    switch (memory.tryReserve(asked.size(), withChecksums ? Mapping.EAGER : Mapping.LAZY)) {
      case Handle handle -> {
        live.put(asked.id(), handle);
        notePeak();
        if (withChecksums)
          checksums = checksums.with(memory.placement(handle), memory.locate(handle));
      }
      case Reservation.Refused(MemoryFailure failure) -> {
        refusals++;
        if (firstRefusal == null)
          firstRefusal = new Refusal(events, nameOf(asked), asked.size(), failure);
      }
    }
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
      case MemoryEvent.PageAdded(_, long bytes, _) -> reserved += bytes;
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
        withChecksums ? Optional.of(checksums) : Optional.empty());
  }
}
