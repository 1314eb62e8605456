package dev.quarry.trace;

import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryListener;
import dev.quarry.report.MemoryObserver;
import dev.quarry.report.MemorySource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Records what happens in a memory, or in the main memories of a device, as a trace from which it
/// can be planned.
///
/// It listens to one memory, or observes a device; a stream in the trace is then the number of the
/// device's slot, and a label an allocation's tag. Pinned host memory is not recorded. Times are
/// nanoseconds since the recorder was made. Allocations older than the recorder are not in the
/// trace, nor are their frees. When the output fails, recording ends and the program goes on;
/// [#finish] then throws.
///
/// Every method may be called from any thread; what happens after [#finish] is not recorded.
///
/// ```java
/// try (TraceRecorder recorder = new TraceRecorder(TraceWriter.to(file, Form.CSV, Packing.GZIP));
///     DeviceMemory<MemorySegment> memory =
///         DeviceMemory.on(new BytesStorage(), DeviceMemory.HOST).listener(recorder).open()) {
///   work(memory);
///   recorder.finish();
/// }
/// ```
public final class TraceRecorder implements MemoryListener, MemoryObserver, AutoCloseable {
  private static final long DEFAULT_STREAM = 0;

  private final TraceWriter writer;
  private final long start = System.nanoTime();
  private final Set<Long> live = new HashSet<>();
  private @Nullable RuntimeException failure;
  private boolean finished;

  /// A recorder to this writer, which it closes.
  public TraceRecorder(TraceWriter writer) {
    this.writer = writer;
  }

  @Override
  public void on(MemoryEvent event) {
    record(event, DEFAULT_STREAM);
  }

  @Override
  public MemoryListener observe(MemorySource source) {
    return source.pinned() ? _ -> {} : event -> record(event, source.stream());
  }

  private synchronized void record(MemoryEvent event, long stream) {
    switch (event) {
      case MemoryEvent.Reserved reserved -> {
        long id = reserved.id().value();
        live.add(id);
        write(
            new TraceEvent.Allocate(
                id,
                bounded(reserved.size()),
                stream,
                now(),
                1,
                TraceEvent.NO_ADDRESS,
                Text.sound(reserved.label().orElse(null)),
                List.of()));
      }
      case MemoryEvent.Released released -> {
        long id = released.id().value();
        if (live.remove(id)) {
          write(
              new TraceEvent.Free(
                  id, bounded(released.size()), TraceEvent.Free.Kind.COMPLETED, stream, now()));
        }
      }
      case MemoryEvent.Refused refused ->
          write(
              new TraceEvent.Failure(
                  bounded(refused.size()), stream, now(), refused.failure().message()));
      case MemoryEvent.Spilled _,
          MemoryEvent.PageAdded _,
          MemoryEvent.PageMapped _,
          MemoryEvent.PageDropped _,
          MemoryEvent.CleanupRequested _,
          MemoryEvent.ModeChanged _,
          MemoryEvent.Installed _,
          MemoryEvent.InstallRefused _,
          MemoryEvent.Leaked _ -> {}
    }
  }

  /// Puts a remark into the trace, such as the beginning of a step.
  public synchronized void mark(String text) {
    write(new TraceEvent.Mark(text, now()));
  }

  private void write(TraceEvent event) {
    if (failure != null || finished) return;
    try {
      writer.write(event);
    } catch (TraceException e) {
      failure = e;
    }
  }

  private long now() {
    return System.nanoTime() - start;
  }

  /// A trace names no size above its limit; a request that large was refused, or was never mapped.
  private static long bounded(long size) {
    return Math.min(size, TraceEvent.MAX_SIZE);
  }

  /// Completes the trace. For a file: it is on the disk and has its name when this returns.
  ///
  /// @throws TraceException when the output failed, now or earlier; nothing of the trace is left
  ///   then
  public synchronized void finish() {
    finished = true;
    if (failure != null) throw failure;
    writer.finish();
  }

  /// Ends the recording; without [#finish] nothing of it is left.
  @Override
  public synchronized void close() {
    finished = true;
    writer.close();
  }
}
