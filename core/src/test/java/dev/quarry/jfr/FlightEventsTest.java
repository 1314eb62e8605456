package dev.quarry.jfr;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.QuietLogger;
import dev.quarry.failure.MemoryException;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.storage.BytesStorage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightEventsTest {
  @TempDir Path folder;

  private static Device<MemorySegment> open() {
    return Device.open(
        new BytesStorage(),
        DeviceMemory.HOST,
        DeviceOptions.DEFAULT
            .slots(2)
            .logger(new QuietLogger())
            .observer(new FlightEvents())
            .layout(Layout.of(PoolSpec.sliced(1024, 1024), PoolSpec.sliced(4096, 4096))));
  }

  private static void work(Device<MemorySegment> device) {
    DeviceStream<MemorySegment> stream = device.stream(1);
    try (Buffer _ = stream.allocate(1000, "weights");
        Buffer _ = stream.allocate(600)) {
      assertThatThrownBy(() -> stream.allocate(4096)).isInstanceOf(MemoryException.class);
      stream.tryInstall(Layout.of(PoolSpec.direct()));
    }
    stream.install(Layout.of(PoolSpec.direct()));
    try (DryRun _ = DryRun.open();
        Buffer lazy = stream.allocate(64)) {
      stream.write(lazy, MemorySegment.ofArray(new byte[64]));
    }
  }

  private List<RecordedEvent> recorded(Recording recording) throws IOException {
    Path file = folder.resolve(recording.getId() + ".jfr");
    recording.stop();
    recording.dump(file);
    return RecordingFile.readAllEvents(file);
  }

  private static Map<String, List<RecordedEvent>> byName(List<RecordedEvent> events) {
    return events.stream().collect(groupingBy(event -> event.getEventType().getName()));
  }

  @Test
  void theTraceProfileRecordsEverythingThatHappensInMemoriesAndNothingElse() throws IOException {
    try (Recording recording = new Recording(FlightProfile.TRACE.configuration())) {
      // Each second in the profile; a test does not wait for one to pass.
      recording.enable("dev.quarry.PoolSnapshot").with("period", "endChunk");
      recording.start();
      try (Device<MemorySegment> device = open();
          PoolSnapshots _ = PoolSnapshots.of(device::reports)) {
        work(device);
        List<RecordedEvent> events = recorded(recording);
        Set<String> names =
            events.stream().map(event -> event.getEventType().getName()).collect(toSet());
        assertThat(names)
            .allMatch(name -> name.startsWith("dev.quarry."))
            .contains(
                "dev.quarry.PageAdded",
                "dev.quarry.PageMapped",
                "dev.quarry.PageDropped",
                "dev.quarry.Spill",
                "dev.quarry.Refusal",
                "dev.quarry.Install",
                "dev.quarry.Reservation",
                "dev.quarry.Release",
                "dev.quarry.PoolSnapshot");
        RecordedEvent first = byName(events).get("dev.quarry.Reservation").getFirst();
        assertThat(first.getString("memory")).isEqualTo("stream 1");
        assertThat(first.getInt("stream")).isEqualTo(1);
        assertThat(first.getLong("size")).isEqualTo(1000);
        assertThat(first.getString("label")).isEqualTo("weights");
        assertThat(first.getStackTrace()).isNull();
        RecordedEvent snapshot = byName(events).get("dev.quarry.PoolSnapshot").getFirst();
        assertThat(snapshot.getString("kind")).isEqualTo("direct");
        assertThat(snapshot.getString("memory")).isEqualTo("stream 1");
        RecordedEvent refusal = byName(events).get("dev.quarry.Refusal").getFirst();
        assertThat(refusal.getString("failure")).isEqualTo("PoolCapacityExceeded");
        assertThat(byName(events).get("dev.quarry.Install"))
            .anyMatch(event -> event.getString("refusal") != null)
            .anyMatch(event -> event.getString("layout") != null);
      }
    }
  }

  @Test
  void theMemoryProfileLeavesReservationsOut() throws IOException {
    try (Recording recording = new Recording(FlightProfile.MEMORY.configuration());
        Device<MemorySegment> device = open()) {
      recording.start();
      work(device);
      assertThat(byName(recorded(recording)))
          .containsKey("dev.quarry.PageAdded")
          .doesNotContainKeys("dev.quarry.Reservation", "dev.quarry.Release");
    }
  }

  @Test
  void nothingIsRecordedUnlessItIsTurnedOn() throws IOException {
    try (Recording recording = new Recording();
        Device<MemorySegment> device = open()) {
      recording.start();
      work(device);
      assertThat(recorded(recording))
          .noneMatch(event -> event.getEventType().getName().startsWith("dev.quarry."));
    }
  }

  @Test
  void stacksCanBeTurnedOn() throws IOException {
    try (Recording recording = new Recording();
        Device<MemorySegment> device = open()) {
      recording.enable("dev.quarry.PageAdded").withStackTrace();
      recording.start();
      work(device);
      assertThat(byName(recorded(recording)).get("dev.quarry.PageAdded").getFirst().getStackTrace())
          .isNotNull();
    }
  }

  @Test
  void aMemoryOfItsOwnIsListenedTo() throws IOException {
    try (Recording recording = new Recording(FlightProfile.TRACE.configuration())) {
      recording.start();
      try (DeviceMemory<MemorySegment> memory =
          DeviceMemory.on(new BytesStorage(), DeviceMemory.HOST)
              .listener(new FlightEvents().listener("cache"))
              .open()) {
        memory.reserve(100).close();
        memory.usage();
      }
      assertThat(
              byName(recorded(recording)).get("dev.quarry.Release").getFirst().getString("memory"))
          .isEqualTo("cache");
    }
  }

  @Test
  void snapshotsThatCannotBeHadAreLeftOut() throws IOException {
    Device<MemorySegment> device = open();
    try (Recording recording = new Recording(FlightProfile.MEMORY.configuration());
        PoolSnapshots snapshots = PoolSnapshots.of(device::reports)) {
      recording.enable("dev.quarry.PoolSnapshot").with("period", "endChunk");
      device.close();
      recording.start();
      assertThat(byName(recorded(recording))).doesNotContainKey("dev.quarry.PoolSnapshot");
      snapshots.close();
    }
  }

  @Test
  void aProfileIsWrittenForTheCommandLineAndReplacesNoFile() throws IOException {
    Path file = folder.resolve("quarry.jfc");
    FlightProfile.TRACE.writeTo(file);
    assertThat(Files.readString(file)).contains("dev.quarry.Reservation");
    assertThatThrownBy(() -> FlightProfile.MEMORY.writeTo(file))
        .isInstanceOf(FileAlreadyExistsException.class);
  }
}
