package dev.quarry.examples.opencl;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.DryRun;
import dev.quarry.layout.Layout;
import dev.quarry.opencl.ClSubBuffer;
import dev.quarry.opencl.ClWindow;
import dev.quarry.opencl.OpenClProvider;
import dev.quarry.opencl.OpenClQueue;
import dev.quarry.opencl.OpenClStorage;
import dev.quarry.report.MemoryReport;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.runtime.Launch;
import dev.quarry.storage.StorageProvider.Availability;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The loop of dry run, report, install and real run, with kernels that work on slices of pages.
class OpenClKernelTest {
  private static final int ROUNDS = 6;
  private static final String SOURCE =
      """
      kernel void saxpy(float a, global const float *x, ulong xFrom, global float *y, ulong yFrom) {
        size_t i = get_global_id(0);
        y[yFrom + i] += a * x[xFrom + i];
      }

      kernel void twice(global float *x) {
        x[get_global_id(0)] *= 2;
      }
      """;

  private OpenClStorage storage;
  private Device<ClWindow> device;
  private DeviceStream<ClWindow> stream;
  private ClProgram program;
  private final List<Long> offsets = new ArrayList<>();

  @BeforeAll
  static void skipWhereThereIsNone() {
    assumeTrue(
        new OpenClProvider().probe() instanceof Availability.Available,
        "this machine has no OpenCL");
  }

  @BeforeEach
  void openDevice() {
    storage = OpenClStorage.open(0);
    device =
        Device.open(
            storage,
            storage.properties(),
            DeviceOptions.DEFAULT.layout(Layout.parse("sliced:page=256KiB")));
    stream = device.stream();
    program = new ClProgram(storage, SOURCE);
  }

  @AfterEach
  void closeDevice() {
    program.close();
    device.close();
  }

  private void saxpy(float a, Buffer x, Buffer y) {
    stream.launch(
        Launch.named("saxpy").reads(x, y).writes(y),
        scope -> {
          ClWindow from = scope.resource(x);
          ClWindow to = scope.resource(y);
          offsets.add(from.offset());
          offsets.add(to.offset());
          program.launch(
              (OpenClQueue) scope.queue(), "saxpy", to.size() / Float.BYTES, a, from, to);
        });
  }

  /// Sums scaled vectors of several sizes; each vector is closed when it was used.
  private List<float[]> work(List<float[]> vectors) {
    List<float[]> results = new ArrayList<>();
    try (Buffer sum = stream.allocate(bytes(vectors.getLast()), "sum")) {
      stream.fill(sum, (byte) 0);
      for (int round = 0; round < vectors.size(); round++) {
        float[] vector = vectors.get(round);
        try (Buffer x = stream.allocate(bytes(vector), "x");
            Buffer part = sum.view(0, sum.length() - bytes(vector))) {
          if (!DryRun.isOpen()) stream.write(x, MemorySegment.ofArray(vector));
          saxpy(round + 1, x, part);
        }
      }
      float[] result = new float[vectors.getLast().length];
      if (!DryRun.isOpen()) stream.read(sum, MemorySegment.ofArray(result));
      results.add(result);
    }
    return results;
  }

  private static long bytes(float[] vector) {
    return (long) vector.length * Float.BYTES;
  }

  @Test
  void saxpyOnSlicesOfAMeasuredPlanIsThatOfArrays() {
    SplittableRandom random = new SplittableRandom(3);
    List<float[]> vectors = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      float[] vector = new float[10_000 + 997 * round];
      for (int i = 0; i < vector.length; i++) vector[i] = (float) random.nextDouble();
      vectors.add(vector);
    }
    try (DryRun _ = DryRun.open()) {
      work(vectors);
    }
    assertThat(storage.bytesAllocated()).as("a dry run maps nothing").isZero();
    MemoryReport measured = stream.report();
    stream.install(measured.cappedLayout());
    float[] found = work(vectors).getFirst();
    assertThat(offsets).as("slices in the midst of a page").anyMatch(offset -> offset > 0);
    assertThat(stream.report().pools().getFirst().pagesPeak())
        .isEqualTo(measured.pools().getFirst().pagesPeak());
    float[] expected = new float[vectors.getLast().length];
    for (int round = 0; round < ROUNDS; round++)
      for (int i = 0; i < vectors.get(round).length; i++)
        expected[i] = Math.fma((float) (round + 1), vectors.get(round)[i], expected[i]);
    for (int i = 0; i < expected.length; i++)
      assertThat(found[i]).isCloseTo(expected[i], Offset.offset(1e-5f));
  }

  @Test
  void aKernelThatTakesNoOffsetGetsASubBuffer() {
    try (Buffer before = stream.allocate(1000);
        Buffer numbers = stream.allocate(64 * Float.BYTES)) {
      stream.fill(before, (byte) 1);
      float[] values = new float[64];
      for (int i = 0; i < 64; i++) values[i] = i;
      stream.write(numbers, MemorySegment.ofArray(values));
      stream.launch(
          Launch.named("twice").reads(numbers).writes(numbers),
          scope -> {
            ClWindow window = scope.resource(numbers);
            assertThat(window.offset()).isPositive();
            try (ClSubBuffer part = storage.subBuffer(window)) {
              program.launch((OpenClQueue) scope.queue(), "twice", 64, part);
            }
          });
      MemorySegment read = MemorySegment.ofArray(new float[64]);
      stream.read(numbers, read);
      for (int i = 0; i < 64; i++) assertThat(read.getAtIndex(JAVA_FLOAT, i)).isEqualTo(2 * i);
      byte[] untouched = new byte[1000];
      stream.read(before, MemorySegment.ofArray(untouched));
      assertThat(untouched).containsOnly(1);
    }
  }

  @Test
  void buffersOfAThousandLaunchesKeepTheirOrder() {
    try (Buffer sum = stream.allocate(1024 * Float.BYTES);
        Buffer one = stream.allocate(1024 * Float.BYTES)) {
      float[] ones = new float[1024];
      Arrays.fill(ones, 1);
      stream.fill(sum, (byte) 0);
      stream.write(one, MemorySegment.ofArray(ones));
      for (int i = 0; i < 1000; i++) saxpy(1, one, sum);
      MemorySegment read = MemorySegment.ofArray(new float[1024]);
      stream.read(sum, read);
      for (int i = 0; i < 1024; i++) assertThat(read.getAtIndex(JAVA_FLOAT, i)).isEqualTo(1000);
    }
  }
}
