package dev.quarry.opencl;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.DryRun;
import dev.quarry.layout.Layout;
import dev.quarry.report.MemoryReport;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.runtime.Launch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.lwjgl.opencl.CL10;

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
  private TestProgram program;
  private final List<Long> offsets = new ArrayList<>();

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
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
    program = new TestProgram(storage.context(), SOURCE);
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
          program
              .kernel("saxpy")
              .set(0, a)
              .set(1, from.buffer())
              .set(2, from.offset() / Float.BYTES)
              .set(3, to.buffer())
              .set(4, to.offset() / Float.BYTES)
              .run(((OpenClQueue) scope.queue()).handle(), to.size() / Float.BYTES);
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
      assertThat(found[i]).isCloseTo(expected[i], org.assertj.core.data.Offset.offset(1e-5f));
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
              program
                  .kernel("twice")
                  .set(0, part.handle())
                  .run(((OpenClQueue) scope.queue()).handle(), 64);
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
      java.util.Arrays.fill(ones, 1);
      stream.fill(sum, (byte) 0);
      stream.write(one, MemorySegment.ofArray(ones));
      for (int i = 0; i < 1000; i++) saxpy(1, one, sum);
      MemorySegment read = MemorySegment.ofArray(new float[1024]);
      stream.read(sum, read);
      for (int i = 0; i < 1024; i++) assertThat(read.getAtIndex(JAVA_FLOAT, i)).isEqualTo(1000);
    }
  }

  @Test
  void aKernelThatTheDriverRefusesFailsItsLaunchAndNoOther() {
    try (Buffer numbers = stream.allocate(64)) {
      stream.launch(
          Launch.named("refused").writes(numbers),
          scope -> {
            int status =
                CL10.clEnqueueNDRangeKernel(
                    ((OpenClQueue) scope.queue()).handle(),
                    program.kernel("saxpy").handle(),
                    1,
                    null,
                    program.sizeOf(64),
                    null,
                    null,
                    null);
            if (status != CL10.CL_SUCCESS)
              scope.fail(new dev.quarry.failure.WorkFailure.Generic("status " + status));
          });
      assertThat(stream.fill(numbers, (byte) 3).isSuccess()).isTrue();
    }
  }
}
