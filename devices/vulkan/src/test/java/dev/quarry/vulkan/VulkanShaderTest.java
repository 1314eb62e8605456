package dev.quarry.vulkan;

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
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The loop of dry run, report, install and real run, with a shader that works on slices of pages.
class VulkanShaderTest {
  private static final int ROUNDS = 6;
  private static final String SAXPY =
      """
      #version 450
      layout(local_size_x = 64) in;
      layout(push_constant) uniform Constants { float a; uint count; };
      layout(set = 0, binding = 0) readonly buffer X { float x[]; };
      layout(set = 0, binding = 1) buffer Y { float y[]; };
      void main() {
        uint i = gl_GlobalInvocationID.x;
        if (i < count) y[i] += a * x[i];
      }
      """;

  private final ValidatedVulkan vk = new ValidatedVulkan();
  private final List<Long> offsets = new ArrayList<>();
  private VulkanStorage storage;
  private Device<VulkanWindow> device;
  private DeviceStream<VulkanWindow> stream;
  private Shader shader;

  @BeforeAll
  static void skipWhereThereIsNone() {
    ValidatedVulkan.orSkip();
  }

  @BeforeEach
  void openDevice() {
    storage = VulkanStorage.open(vk, 0, VulkanOptions.DEFAULT);
    device =
        Device.open(
            storage,
            storage.properties(),
            DeviceOptions.DEFAULT.layout(Layout.parse("sliced:page=256KiB")));
    stream = device.stream();
    shader = new Shader(storage.device(), SAXPY);
  }

  @AfterEach
  void closeDevice() {
    shader.close();
    device.close();
    assertThat(vk.messages).isEmpty();
  }

  private void saxpy(float a, Buffer x, Buffer y) {
    stream
        .launch(
            Launch.named("saxpy").reads(x, y).writes(y),
            scope -> {
              VulkanWindow from = scope.resource(x);
              VulkanWindow to = scope.resource(y);
              offsets.add(from.offset());
              offsets.add(to.offset());
              ((VulkanQueue) scope.queue())
                  .record(commands -> shader.launch(commands, a, from, to));
            })
        .orThrow();
  }

  /// Sums scaled vectors of several sizes; each vector is closed when it was used.
  private float[] work(List<float[]> vectors, boolean real) {
    float[] result = new float[vectors.getLast().length];
    try (Buffer sum = stream.allocate(bytes(result), "sum")) {
      stream.fill(sum, (byte) 0);
      for (int round = 0; round < vectors.size(); round++) {
        float[] vector = vectors.get(round);
        try (Buffer x = stream.allocate(bytes(vector), "x");
            Buffer part = sum.view(0, sum.length() - bytes(vector))) {
          if (real) stream.write(x, MemorySegment.ofArray(vector));
          saxpy(round + 1, x, part);
        }
      }
      if (real) stream.read(sum, MemorySegment.ofArray(result));
    }
    return result;
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
      work(vectors, false);
    }
    assertThat(storage.bytesAllocated()).as("a dry run maps nothing").isZero();
    MemoryReport measured = stream.report();
    stream.install(measured.cappedLayout());
    float[] found = work(vectors, true);
    assertThat(offsets).as("slices in the midst of a page").anyMatch(offset -> offset > 0);
    assertThat(stream.report().pools().getFirst().pagesPeak())
        .isEqualTo(measured.pools().getFirst().pagesPeak());
    float[] expected = new float[found.length];
    for (int round = 0; round < ROUNDS; round++)
      for (int i = 0; i < vectors.get(round).length; i++)
        expected[i] = Math.fma((float) (round + 1), vectors.get(round)[i], expected[i]);
    for (int i = 0; i < expected.length; i++)
      assertThat(found[i]).isCloseTo(expected[i], Offset.offset(1e-5f));
  }

  @Test
  void launchesAndCopiesKeepTheirOrder() {
    try (Buffer sum = stream.allocate(1024 * Float.BYTES);
        Buffer copy = stream.allocate(1024 * Float.BYTES)) {
      float[] ones = new float[1024];
      Arrays.fill(ones, 1);
      stream.write(sum, MemorySegment.ofArray(ones));
      for (int i = 0; i < 500; i++) {
        stream.copy(sum, copy);
        saxpy(i % 2 == 0 ? 1 : -0.5f, copy, sum);
      }
      MemorySegment read = MemorySegment.ofArray(new float[1024]);
      stream.read(sum, read);
      for (int i = 0; i < 1024; i++) assertThat(read.getAtIndex(JAVA_FLOAT, i)).isEqualTo(1);
    }
  }
}
