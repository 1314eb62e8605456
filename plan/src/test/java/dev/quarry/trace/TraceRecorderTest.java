package dev.quarry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.Handle;
import dev.quarry.Reservation;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayResult;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceWriter.Form;
import dev.quarry.trace.TraceWriter.Packing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceRecorderTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(128 << 20, 32);
  private static final Layout LAYOUT =
      Layout.parse("sliced:page=1MiB,cap=4MiB;exclusive:max=2MiB,period=100");

  @TempDir Path folder;

  /// Reachable until the test ends: a memory takes lost handles back.
  private final List<Handle> held = new ArrayList<>();

  private DeviceMemory<Region> memory(TraceRecorder recorder) {
    return DeviceMemory.on(new CountingStorage(), DEVICE).layout(LAYOUT).listener(recorder).open();
  }

  /// A plan made of a recording is worth something only if replaying it does to the pools what the
  /// program did.
  @Test
  void aRecordedRunReplaysToTheSamePools() {
    Path file = folder.resolve("run.csv.gz");
    List<PoolReport> pools;
    try (TraceRecorder recorder = new TraceRecorder(TraceWriter.to(file, Form.CSV, Packing.GZIP));
        DeviceMemory<Region> memory = memory(recorder)) {
      churn(memory);
      pools = memory.report().pools();
      recorder.finish();
    }
    ReplayResult replayed = Replay.of(Trace.of(file), LAYOUT, DEVICE);
    assertThat(replayed.report().pools())
        .usingRecursiveComparison()
        .ignoringFields("pagesUnmapped")
        .isEqualTo(pools);
  }

  private void churn(DeviceMemory<Region> memory) {
    SplittableRandom random = new SplittableRandom(11);
    ArrayDeque<Handle> live = new ArrayDeque<>();
    for (int i = 0; i < 5_000; i++) {
      if (live.size() > 20) (random.nextBoolean() ? live.removeFirst() : live.removeLast()).close();
      if (memory.tryReserve(random.nextLong(1 << 20), DryRun.mapping()) instanceof Handle handle)
        live.add(handle);
    }
    held.addAll(live);
  }

  @Test
  void requestsFreesRefusalsAndMarksAreInOrder() {
    Path file = folder.resolve("run.jsonl");
    try (TraceRecorder recorder =
            new TraceRecorder(TraceWriter.to(file, Form.JSON_LINES, Packing.PLAIN));
        DeviceMemory<Region> memory = memory(recorder)) {
      recorder.mark("begin");
      memory.reserve(100).close();
      assertThat(memory.tryReserve(1 << 30, DryRun.mapping()))
          .isInstanceOf(Reservation.Refused.class);
      held.add(memory.reserve(7));
      recorder.finish();
    }
    List<TraceEvent> events = new ArrayList<>();
    try (TraceReader reader = Trace.of(file).open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next())
        events.add(event);
    }
    assertThat(events)
        .satisfiesExactly(
            mark ->
                assertThat(mark)
                    .isInstanceOfSatisfying(
                        Mark.class, m -> assertThat(m.text()).isEqualTo("begin")),
            first ->
                assertThat(first)
                    .isInstanceOfSatisfying(
                        Allocate.class, a -> assertThat(a.size()).isEqualTo(100)),
            free ->
                assertThat(free)
                    .isInstanceOfSatisfying(Free.class, f -> assertThat(f.id()).isZero()),
            refused ->
                assertThat(refused)
                    .isInstanceOfSatisfying(
                        Failure.class, f -> assertThat(f.size()).isEqualTo(1 << 30)),
            last ->
                assertThat(last)
                    .isInstanceOfSatisfying(Allocate.class, a -> assertThat(a.id()).isEqualTo(1)));
  }

  @Test
  void whatIsOlderThanTheRecorderIsNotInTheTrace() {
    Path file = folder.resolve("late.csv");
    List<TraceRecorder> late = new ArrayList<>();
    try (DeviceMemory<Region> memory =
        DeviceMemory.on(new CountingStorage(), DEVICE)
            .layout(LAYOUT)
            .listener(event -> late.forEach(one -> one.on(event)))
            .open()) {
      Handle old = memory.reserve(10);
      try (TraceRecorder recorder =
          new TraceRecorder(TraceWriter.to(file, Form.CSV, Packing.PLAIN))) {
        late.add(recorder);
        old.close();
        held.add(memory.reserve(20));
        recorder.finish();
      }
    }
    try (TraceReader reader = Trace.of(file).open()) {
      assertThat(reader.next())
          .isInstanceOfSatisfying(Allocate.class, a -> assertThat(a.size()).isEqualTo(20));
      assertThat(reader.next()).isNull();
    }
  }

  @Test
  void aFullDiskEndsTheRecordingAndNotTheProgram() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    try (TraceRecorder recorder = new TraceRecorder(TraceWriter.to(full, Form.CSV, Packing.PLAIN));
        DeviceMemory<Region> memory = memory(recorder)) {
      for (int i = 0; i < 100_000; i++) memory.reserve(64).close();
      assertThatThrownBy(recorder::finish)
          .isInstanceOf(TraceException.class)
          .hasMessageContaining("No space left");
    }
  }

  @Test
  void anUnfinishedRecordingLeavesNoFile() {
    Path file = folder.resolve("unfinished.csv");
    try (TraceRecorder recorder =
        new TraceRecorder(TraceWriter.to(file, Form.CSV, Packing.PLAIN))) {
      recorder.mark("begin");
    }
    assertThat(folder).satisfies(path -> assertThat(Files.list(path)).isEmpty());
  }
}
