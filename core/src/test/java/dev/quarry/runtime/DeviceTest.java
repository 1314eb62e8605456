package dev.quarry.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.RealRun;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

class DeviceTest {
  private final Device<MemorySegment> device =
      Device.open(new BytesStorage(), DeviceMemory.HOST, DeviceOptions.DEFAULT.slots(4));
  private final DeviceStream<MemorySegment> stream = device.stream(0);

  private static byte[] bytesOf(DeviceStream<MemorySegment> stream, Buffer buffer) {
    byte[] bytes = new byte[(int) buffer.length()];
    stream.read(buffer, MemorySegment.ofArray(bytes));
    return bytes;
  }

  private static byte[] all(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void whatIsWrittenIsRead() {
    try (Buffer buffer = stream.allocate(100)) {
      stream.write(buffer, 10, MemorySegment.ofArray(all(5, 7)));
      assertThat(bytesOf(stream, buffer)).startsWith(all(10, 0)).contains(all(5, 7));
    }
  }

  @Test
  void aFailingBodyTaintsExactlyWhatItWasToWrite() {
    try (Buffer buffer = stream.allocate(100);
        Buffer middle = buffer.view(20, 50);
        Buffer front = buffer.view(0, 80);
        Buffer back = buffer.view(50, 0)) {
      assertThat(
              stream.launch(
                  Launch.named("half").writes(middle),
                  scope -> scope.fail(new WorkFailure.Generic("no luck"))))
          .isEqualTo(new LaunchOutcome.Failed(new WorkFailure.Generic("no luck")));
      assertThat(bytesOf(stream, front)).hasSize(20);
      assertThat(bytesOf(stream, back)).hasSize(50);
      assertThatThrownBy(() -> bytesOf(stream, middle)).hasMessageContaining("no luck");
      assertThatThrownBy(() -> bytesOf(stream, buffer)).hasMessageContaining("no luck");
      stream.fill(middle, (byte) 1).orThrow();
      assertThat(bytesOf(stream, middle)).isEqualTo(all(30, 1));
      assertThat(device.errors().isEmpty()).isTrue();
    }
  }

  @Test
  void workThatNeedsClaimedBytesIsSkippedAndItsReaderLearnsTheRoot() {
    try (Buffer a = stream.allocate(10);
        Buffer b = stream.allocate(10);
        Buffer c = stream.allocate(10)) {
      stream.launch(
          Launch.named("load").writes(a),
          scope -> scope.fail(new WorkFailure.Generic("the file is gone")));
      assertThat(
              stream.launch(Launch.named("matmul").reads(a).writes(b), scope -> scope.resource(b)))
          .isInstanceOf(LaunchOutcome.Skipped.class);
      assertThat(stream.launch(Launch.named("gelu").reads(b).writes(c), scope -> scope.resource(c)))
          .isInstanceOf(LaunchOutcome.Skipped.class);
      assertThatThrownBy(() -> bytesOf(stream, c))
          .isInstanceOf(WorkException.class)
          .hasMessageContaining("the file is gone")
          .hasMessageContaining("gelu was skipped")
          .hasMessageContaining("matmul was skipped");
      assertThat(device.errors().size()).isEqualTo(1);
    }
    device.cleanUp();
    assertThat(device.errors().isEmpty()).isTrue();
  }

  @Test
  void anExceptionPassesThroughAndLeavesTheTornDownClaim() {
    try (Buffer buffer = stream.allocate(10)) {
      IllegalStateException thrown = new IllegalStateException("bug");
      assertThatThrownBy(
              () ->
                  stream.launch(
                      Launch.named("bug").writes(buffer),
                      _ -> {
                        throw thrown;
                      }))
          .isSameAs(thrown);
      assertThatThrownBy(() -> bytesOf(stream, buffer)).hasMessageContaining("torn down");
      stream.fill(buffer, (byte) 3).orThrow();
      assertThat(bytesOf(stream, buffer)).isEqualTo(all(10, 3));
      assertThat(device.errors().isEmpty()).isTrue();
    }
  }

  @Test
  @ResourceLock("dry run")
  void aDryRunSkipsLaunchesAndARealRunInsideExecutesThem() {
    try (Buffer buffer = stream.allocate(10)) {
      stream.fill(buffer, (byte) 9).orThrow();
      try (DryRun _ = DryRun.open()) {
        assertThat(stream.fill(buffer, (byte) 1)).isEqualTo(new LaunchOutcome.DryRun());
        assertThat(bytesOf(stream, buffer)).isEqualTo(all(10, 9));
        try (RealRun _ = RealRun.open()) {
          stream.fill(buffer, (byte) 2).orThrow();
        }
      }
      assertThat(bytesOf(stream, buffer)).isEqualTo(all(10, 2));
    }
  }

  @Test
  @ResourceLock("dry run")
  void aBufferOfADryRunIsMappedWhenItIsRead() {
    long size = 32 << 20;
    try (DryRun _ = DryRun.open();
        Buffer buffer = stream.allocate(size)) {
      assertThat(unmapped()).isPositive();
      assertThat(bytesOf(stream, buffer)).hasSize(32 << 20);
      assertThat(unmapped()).isZero();
    }
  }

  private int unmapped() {
    return stream.report().pools().stream().mapToInt(PoolReport::pagesUnmapped).sum();
  }

  @Test
  @ResourceLock("dry run")
  void aLaunchThatCanNotBePreparedFailsAlsoInADryRun() {
    WorkFailure failure =
        new WorkFailure.Launch("no such symbol", WorkFailure.Launch.Cause.COMPILE);
    try (DryRun _ = DryRun.open();
        Buffer buffer = stream.allocate(10)) {
      Launch launch = Launch.named("kernel").writes(buffer).prepared(() -> Optional.of(failure));
      assertThat(stream.launch(launch, scope -> scope.resource(buffer)))
          .isEqualTo(new LaunchOutcome.Failed(failure));
      assertThatThrownBy(() -> device.check(buffer))
          .isInstanceOfSatisfying(
              WorkException.class, e -> assertThat(e.failure().refusedBeforeRunning()).isTrue())
          .hasMessageContaining("no such symbol");
    }
  }

  @Test
  void severalFailuresAreToldAtOnceAndEachOnce() {
    try (Buffer a = stream.allocate(10);
        Buffer b = stream.allocate(10);
        Buffer c = stream.allocate(10)) {
      stream.launch(
          Launch.named("one").writes(a, b), scope -> scope.fail(new WorkFailure.Generic("first")));
      stream.launch(
          Launch.named("two").writes(c), scope -> scope.fail(new WorkFailure.Generic("second")));
      assertThatThrownBy(() -> stream.sync(a, b, c))
          .isInstanceOfSatisfying(
              WorkException.class,
              e ->
                  assertThat(e.failure())
                      .isInstanceOfSatisfying(
                          WorkFailure.Several.class,
                          several -> assertThat(several.failures()).hasSize(2)));
    }
  }

  @Test
  void emptyCopiesDoNothingAndRangesAreChecked() {
    try (Buffer buffer = stream.allocate(10);
        Buffer other = stream.allocate(12)) {
      stream.write(buffer, 10, MemorySegment.ofArray(new byte[0]));
      stream.read(buffer, 10, MemorySegment.ofArray(new byte[0]));
      assertThatThrownBy(() -> stream.write(buffer, 8, MemorySegment.ofArray(new byte[3])))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.read(buffer, -1, MemorySegment.ofArray(new byte[3])))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> stream.copy(buffer, other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("same length");
      assertThatThrownBy(() -> stream.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void pinnedMemoryIsForStoragesThatHaveIt() {
    assertThatThrownBy(() -> stream.allocatePinned(8))
        .hasMessageContaining("does not offer pinned host memory");
  }

  @Test
  void aClosedDeviceRefusesEverythingButClosing() {
    Buffer buffer = stream.allocate(10);
    device.closeAnyway();
    assertThatThrownBy(() -> stream.allocate(1)).hasMessage("the device is closed");
    assertThatThrownBy(() -> stream.fill(buffer, (byte) 1)).hasMessage("the device is closed");
    assertThatThrownBy(() -> device.stream(3)).hasMessage("the device is closed");
    assertThatThrownBy(device::usage).hasMessage("the device is closed");
    buffer.close();
    device.close();
  }

  @Test
  void aDeviceInUseStaysOpenAndNamesWhatUsesIt() {
    Buffer weights = stream.allocate(4096, "weights");
    Buffer again = weights.duplicate();
    Buffer plain = device.stream(1).allocate(10);
    StreamCapture<MemorySegment> capture = stream.capture();
    capture.begin();
    stream.fill(weights, (byte) 1).orThrow();
    assertRefusesToClose(
        "weights (4096 bytes in 1), a graph that stream 0 records, "
            + "buffers without a label (10 bytes in 1)");
    DeviceGraph<MemorySegment> graph = capture.end();
    plain.close();
    weights.close();
    assertRefusesToClose("weights (4096 bytes in 1), a graph of stream 0");
    again.close();
    assertRefusesToClose("weights (4096 bytes in 1), a graph of stream 0");
    graph.close();
    try (Buffer buffer = stream.allocate(8)) {
      stream.fill(buffer, (byte) 2).orThrow();
    }
    device.close();
    assertThatThrownBy(() -> stream.allocate(1)).hasMessage("the device is closed");
  }

  private void assertRefusesToClose(String users) {
    assertThatThrownBy(device::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the device stays open, because it is still used by " + users);
  }

  @Test
  void aDeviceThatAnswersNoMoreClosesWhoeverUsesIt() {
    AtomicBoolean lost = new AtomicBoolean();
    BytesStorage storage = new BytesStorage();
    Device<MemorySegment> device = Device.open(new Losable(storage, lost), DeviceMemory.HOST);
    Buffer buffer = device.stream(0).allocate(10);
    lost.set(true);
    device.close();
    assertThat(storage.bytesAllocated()).isZero();
    buffer.close();
  }

  /// A storage whose queues give no fences once it is lost.
  private static final class Losable extends ForwardingStorage {
    private final AtomicBoolean lost;

    Losable(Storage<MemorySegment> storage, AtomicBoolean lost) {
      super(storage);
      this.lost = lost;
    }

    @Override
    @SuppressWarnings("unchecked")
    public CommandQueue<MemorySegment> openQueue() {
      CommandQueue<MemorySegment> queue = super.openQueue();
      return (CommandQueue<MemorySegment>)
          Proxy.newProxyInstance(
              CommandQueue.class.getClassLoader(),
              new Class<?>[] {CommandQueue.class},
              (_, method, arguments) -> {
                if (lost.get() && method.getName().equals("fence"))
                  throw new WorkException(new WorkFailure.Generic("the device is lost"));
                return method.invoke(queue, arguments);
              });
    }
  }
}
