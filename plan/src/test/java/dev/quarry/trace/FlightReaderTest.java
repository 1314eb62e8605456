package dev.quarry.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.jfr.FlightEvents;
import dev.quarry.jfr.FlightProfile;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.plan.PeakPlanner;
import dev.quarry.plan.Plan;
import dev.quarry.plan.PlanCheck;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.storage.BytesStorage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightReaderTest {
  private static final DeviceProperties PROPERTIES = new DeviceProperties(1 << 20, 64);

  @TempDir Path folder;

  /// A running program: a buffer older than the recording, two streams, and labels.
  private Path record() throws IOException {
    Path file = folder.resolve("app.jfr");
    try (Device<MemorySegment> device =
            Device.open(
                new BytesStorage(),
                PROPERTIES,
                DeviceOptions.DEFAULT
                    .slots(2)
                    .layout(Layout.of(PoolSpec.direct()))
                    .observer(new FlightEvents()));
        Recording recording = new Recording(FlightProfile.TRACE.configuration())) {
      Buffer older = device.stream(0).allocate(77);
      recording.start();
      older.close();
      List<Buffer> live = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        live.add(device.stream(i % 2).allocate(1000 + i, "step"));
        if (live.size() > 10) live.remove(i % 7).close();
      }
      live.forEach(Buffer::close);
      device.usage();
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  private static List<TraceEvent> events(Trace trace) {
    List<TraceEvent> events = new ArrayList<>();
    try (TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next())
        events.add(event);
    }
    return events;
  }

  @Test
  void aRunningProgramBecomesATraceInItsOrder() throws IOException {
    try (Trace trace = Trace.of(record())) {
      assertThat(trace.format()).isEqualTo(TraceFormat.FLIGHT_RECORDER);
      List<TraceEvent> events = events(trace);
      assertThat(events).hasSize(400);
      assertThat(events.getFirst())
          .isInstanceOfSatisfying(
              TraceEvent.Allocate.class,
              first -> {
                assertThat(first.size()).isEqualTo(1000);
                assertThat(first.tag()).isEqualTo("step");
              });
      assertThat(
              events.stream()
                  .filter(TraceEvent.Allocate.class::isInstance)
                  .map(event -> ((TraceEvent.Allocate) event).size()))
          .isSorted();
      try (TraceReader reader = trace.open()) {
        assertThat(reader.notes().count(Irregularity.UNKNOWN_FREED)).isEqualTo(1);
      }
    }
  }

  @Test
  void aPlanIsMadeOfARecording() throws IOException {
    try (Trace trace = Trace.of(record())) {
      Plan plan = new PeakPlanner(Layout.parse("sliced:page=64KiB")).plan(trace, PROPERTIES);
      assertThat(plan.load()).isBetween(10_000L, 15_000L);
      assertThat(PlanCheck.check(trace, plan)).isInstanceOf(PlanCheck.Verdict.Fits.class);
    }
  }

  @Test
  void aRecordingWithoutReservationsSaysWhichProfileMakesThem() throws IOException {
    Path file = folder.resolve("quiet.jfr");
    try (Recording recording = new Recording(FlightProfile.MEMORY.configuration())) {
      recording.start();
      try (DeviceMemory<MemorySegment> memory = DeviceMemory.onHost()) {
        memory.usage();
      }
      recording.stop();
      recording.dump(file);
    }
    assertThatThrownBy(() -> events(Trace.of(file)))
        .isInstanceOf(TraceException.class)
        .hasMessageContaining("quiet.jfr: found a recording without reservations of Quarry")
        .hasMessageContaining("quarry-trace.jfc");
  }

  @Test
  void damageAnywhereIsOneSentence() throws IOException {
    byte[] whole = Files.readAllBytes(record());
    Path file = folder.resolve("damaged.jfr");
    for (int cut = 4; cut < whole.length; cut += Math.max(1, whole.length / 40)) {
      Files.write(file, Arrays.copyOf(whole, cut));
      refusesOrReads(file);
    }
    for (int at = 4; at < whole.length; at += Math.max(1, whole.length / 200)) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x55;
      Files.write(file, damaged);
      refusesOrReads(file);
    }
  }

  /// Damage in an event's own numbers can not be told from other numbers.
  private static void refusesOrReads(Path file) {
    try {
      events(Trace.of(file));
    } catch (TraceException e) {
      assertThat(e.getMessage()).contains("damaged.jfr").doesNotContain("\n");
    }
  }
}
