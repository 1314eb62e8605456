package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.QuietLogger;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import dev.quarry.storage.SteppedStorage;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "asynchronous: {0}")
@ValueSource(booleans = {false, true})
class StreamCaptureTest {
  @Parameter boolean asynchronous;

  private Device<MemorySegment> open() {
    Storage<MemorySegment> storage = asynchronous ? new SteppedStorage() : new BytesStorage();
    return Device.open(
        storage,
        DeviceMemory.HOST,
        DeviceOptions.DEFAULT
            .slots(2)
            .logger(new QuietLogger())
            .layout(Layout.of(PoolSpec.direct())));
  }

  private static void increment(DeviceStream<MemorySegment> stream, Buffer buffer) {
    stream
        .launch(
            Launch.named("increment").reads(buffer).writes(buffer),
            scope -> {
              MemorySegment bytes = scope.resource(buffer);
              scope
                  .queue()
                  .run(
                      () ->
                          bytes.set(
                              ValueLayout.JAVA_BYTE,
                              0,
                              (byte) (bytes.get(ValueLayout.JAVA_BYTE, 0) + 1)));
            })
        .orThrow();
  }

  private static int first(DeviceStream<MemorySegment> stream, Buffer buffer) {
    byte[] bytes = new byte[1];
    stream.read(buffer, MemorySegment.ofArray(bytes));
    return bytes[0];
  }

  @Test
  void whatIsRecordedRunsAtEachReplayAndNotBefore() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      Buffer counter = stream.allocate(64);
      stream.fill(counter, (byte) 0).orThrow();
      DeviceGraph<MemorySegment> graph;
      try (StreamCapture<MemorySegment> capture = stream.capture()) {
        increment(stream, counter);
        capture.begin();
        increment(stream, counter);
        increment(stream, counter);
        graph = capture.end();
      }
      assertThat(first(stream, counter)).as("warmed up once").isEqualTo(1);
      assertThat(graph.writtenWindows()).isEqualTo(1);
      graph.replay().orThrow();
      graph.replay().orThrow();
      assertThat(first(device.stream(1), counter)).isEqualTo(5);
      graph.close();
      graph.close();
      assertThatThrownBy(graph::replay).isInstanceOf(IllegalStateException.class);
      counter.close();
    }
  }

  @Test
  void memoryOfTheGraphStaysUntilItIsClosed() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      Buffer before = stream.allocate(64);
      DeviceGraph<MemorySegment> graph;
      try (StreamCapture<MemorySegment> capture = stream.capture()) {
        capture.begin();
        try (Buffer inside = stream.allocate(128)) {
          stream.fill(inside, (byte) 1).orThrow();
          stream.fill(before, (byte) 2).orThrow();
        }
        graph = capture.end();
      }
      before.close();
      device.cleanUp();
      assertThat(stream.report().usage().bytesInUse()).isEqualTo(64 + 128);
      graph.replay().orThrow();
      graph.close();
      device.cleanUp();
      assertThat(device.usage().bytesReserved()).isZero();
    }
  }

  @Test
  void hostBytesOfRecordedCopiesLiveAsLongAsTheGraph() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      try (Buffer target = stream.allocate(4)) {
        byte[] source = {1, 2, 3, 4};
        DeviceGraph<MemorySegment> graph;
        try (StreamCapture<MemorySegment> capture = stream.capture()) {
          capture.begin();
          stream.write(target, MemorySegment.ofArray(source));
          graph = capture.end();
        }
        source[0] = 9;
        stream.fill(target, (byte) 0).orThrow();
        graph.replay().orThrow();
        assertThat(first(stream, target)).isEqualTo(1);
        graph.close();
      }
    }
  }

  @Test
  void aFailureInsideLeavesNoGraphAndClaimsWhatWasRecorded() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      try (Buffer recorded = stream.allocate(8);
          Buffer failed = stream.allocate(8);
          StreamCapture<MemorySegment> capture = stream.capture()) {
        capture.begin();
        stream.fill(recorded, (byte) 1).orThrow();
        stream.launch(
            Launch.named("bad").writes(failed),
            scope -> scope.fail(new WorkFailure.Generic("no such kernel")));
        stream.launch(
            Launch.named("worse").writes(failed),
            scope -> scope.fail(new WorkFailure.Generic("too late to matter")));
        assertThatThrownBy(capture::end)
            .isInstanceOf(WorkException.class)
            .hasMessage("no such kernel");
        assertThatThrownBy(() -> device.check(recorded)).hasMessageContaining("no such kernel");
        stream.fill(recorded, (byte) 2).orThrow();
        assertThat(first(stream, recorded)).isEqualTo(2);
      }
      device.cleanUp();
      assertThat(device.errors().isEmpty()).isTrue();
      assertThat(device.usage().bytesReserved()).isZero();
    }
  }

  @Test
  void anAbortedCaptureNeverRanWhatItRecorded() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      try (Buffer buffer = stream.allocate(8)) {
        StreamCapture<MemorySegment> capture = stream.capture();
        capture.begin();
        stream.fill(buffer, (byte) 1).orThrow();
        capture.abort();
        capture.close();
        assertThatThrownBy(() -> device.check(buffer)).hasMessageContaining("aborted");
        stream.fill(buffer, (byte) 3).orThrow();
        assertThat(first(stream, buffer)).isEqualTo(3);
      }
    }
  }

  @Test
  void callsOutOfOrderFailAndChangeNothing() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      try (Buffer buffer = stream.allocate(8);
          StreamCapture<MemorySegment> capture = stream.capture()) {
        assertThatThrownBy(capture::end).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(stream::capture).isInstanceOf(IllegalStateException.class);
        capture.begin();
        assertThatThrownBy(capture::begin).isInstanceOf(IllegalStateException.class);
        stream.fill(buffer, (byte) 1).orThrow();
        assertThatThrownBy(() -> first(stream, buffer)).hasMessageContaining("records a graph");
        assertThatThrownBy(stream::sync).hasMessageContaining("records a graph");
        assertThatThrownBy(() -> device.stream(2).fill(buffer, (byte) 2))
            .hasMessageContaining("records a graph on the slot");
        try (DeviceGraph<MemorySegment> graph = capture.end()) {
          graph.replay().orThrow();
          assertThat(first(stream, buffer)).isEqualTo(1);
        }
        assertThatThrownBy(capture::end).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  void severalStreamsRecordAtOnce() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> one = device.stream(0);
      DeviceStream<MemorySegment> two = device.stream(1);
      try (Buffer a = one.allocate(8);
          Buffer b = two.allocate(8);
          StreamCapture<MemorySegment> captureOne = one.capture();
          StreamCapture<MemorySegment> captureTwo = two.capture()) {
        one.fill(a, (byte) 1).orThrow();
        captureOne.begin();
        captureTwo.begin();
        two.copy(a, b).orThrow();
        one.fill(a, (byte) 5).orThrow();
        try (DeviceGraph<MemorySegment> graphTwo = captureTwo.end();
            DeviceGraph<MemorySegment> graphOne = captureOne.end()) {
          graphTwo.replay().orThrow();
          assertThat(first(two, b)).isEqualTo(1);
          graphOne.replay().orThrow();
          graphTwo.replay().orThrow();
          assertThat(first(two, b)).isEqualTo(5);
        }
      }
    }
  }

  @Test
  void aClaimedInputSkipsTheReplay() {
    try (Device<MemorySegment> device = open()) {
      DeviceStream<MemorySegment> stream = device.stream(0);
      try (Buffer in = stream.allocate(8);
          Buffer out = stream.allocate(8)) {
        DeviceGraph<MemorySegment> graph;
        try (StreamCapture<MemorySegment> capture = stream.capture()) {
          capture.begin();
          stream.copy(in, out).orThrow();
          graph = capture.end();
        }
        stream.launch(
            Launch.named("load").writes(in), scope -> scope.fail(new WorkFailure.Generic("lost")));
        assertThat(graph.replay()).isInstanceOf(LaunchOutcome.Skipped.class);
        assertThatThrownBy(() -> first(stream, out)).hasMessageContaining("lost");
        stream.fill(in, (byte) 6).orThrow();
        graph.replay().orThrow();
        assertThat(first(stream, out)).isEqualTo(6);
        graph.close();
      }
    }
  }

  @Test
  void aDeviceClosedInTheMiddleOfACaptureReleasesEverything() {
    Device<MemorySegment> device = open();
    DeviceStream<MemorySegment> stream = device.stream(0);
    Buffer buffer = stream.allocate(8);
    StreamCapture<MemorySegment> capture = stream.capture();
    capture.begin();
    stream.fill(buffer, (byte) 1).orThrow();
    device.closeAnyway();
    device.close();
    buffer.close();
    assertThatThrownBy(capture::end).hasMessageContaining("closed");
    capture.close();
    assertThat(device.storage.bytesAllocated()).isZero();
  }

  @Test
  void aStorageThatCannotRecordSaysSoAndTheStreamGoesOn() {
    try (Device<Region> device = Device.open(new CountingStorage(), DeviceMemory.HOST)) {
      DeviceStream<Region> stream = device.stream(0);
      StreamCapture<Region> capture = stream.capture();
      assertThatThrownBy(capture::begin).hasMessageContaining("does not offer graph capture");
      try (Buffer buffer = stream.allocate(8)) {
        stream.fill(buffer, (byte) 1).orThrow();
      }
      stream.capture().close();
    }
  }
}
