package dev.quarry.examples.transformer;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.opencl.OpenClStorage;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryReport;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.Storage;
import dev.quarry.trace.TraceRecorder;
import dev.quarry.trace.TraceWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Generates a text with a small transformer in the memory that a dry run measured, and compares
/// the logits of every token with those of the same model on plain arrays.
///
/// Given a file, it records the run as a trace, which `quarry plan` reads.
public final class Transformer {
  private static final long SEED = 20;
  private static final int[] PROMPT = {17, 4, 250, 99, 3, 8, 121, 60, 7, 31};
  private static final int[] REST = {5, 44, 200, 13, 77, 91, 128, 2, 255, 0, 64, 33};

  private Transformer() {}

  /// What the run came to.
  ///
  /// @param measured the memory after the dry run
  /// @param after the memory after the real run
  /// @param spills requests that a full pool passed on in the real run
  /// @param difference the largest difference of a logit from that of the arrays
  record Result(MemoryReport measured, MemoryReport after, long spills, double difference) {
    /// @param tolerance the difference that the device's arithmetic excuses
    boolean isSound(double tolerance) {
      return spills == 0
          && difference <= tolerance
          && after.pools().getFirst().pagesPeak() == measured.pools().getFirst().pagesPeak();
    }
  }

  /// Prints the measured memory, the memory of the real run, and the comparison.
  ///
  /// @param args `opencl` for the first OpenCL device; or a file for the trace; or nothing
  public static void main(String[] args) {
    boolean onOpenCl = List.of(args).equals(List.of("opencl"));
    Result result =
        onOpenCl
            ? onOpenCl()
            : args.length == 0 ? run(DeviceOptions.DEFAULT) : recorded(Path.of(args[0]));
    System.out.println("measured by a dry run:\n" + result.measured);
    System.out.println("after the real run, in the layout measured:\n" + result.after);
    System.out.println("spills: " + result.spills);
    System.out.println("largest difference from plain arrays: " + result.difference);
    if (!result.isSound(onOpenCl ? OpenClKernels.TOLERANCE : 0))
      throw new IllegalStateException("the run is not as it was measured");
  }

  /// The run on the first OpenCL device.
  static Result onOpenCl() {
    OpenClStorage storage = OpenClStorage.open(0);
    try (OpenClKernels kernels = new OpenClKernels(storage)) {
      return run(storage, storage.properties(), kernels, DeviceOptions.DEFAULT);
    }
  }

  /// The run with its trace in a file.
  static Result recorded(Path file) {
    try (TraceRecorder recorder =
        new TraceRecorder(TraceWriter.to(file, TraceWriter.Form.CSV, TraceWriter.Packing.PLAIN))) {
      Result result = run(DeviceOptions.DEFAULT.observer(recorder));
      recorder.finish();
      return result;
    }
  }

  /// The run on host memory.
  static Result run(DeviceOptions options) {
    return run(new BytesStorage(), DeviceMemory.HOST, new HostKernels(), options);
  }

  /// The run on any device.
  ///
  /// @param storage the device's memory, which is closed at the end
  static <R> Result run(
      Storage<R> storage, DeviceProperties properties, Kernels<R> kernels, DeviceOptions options) {
    Shape shape = Shape.SMALL;
    AtomicLong spills = new AtomicLong();
    DeviceOptions watched =
        options
            .layout(Layout.parse("sliced:page=20KiB"))
            .observer(
                _ ->
                    event -> {
                      if (event instanceof MemoryEvent.Spilled) spills.incrementAndGet();
                    });
    try (Device<R> device = Device.open(storage, properties, watched)) {
      DeviceStream<R> stream = device.stream();
      try (DeviceModel<R> model = new DeviceModel<>(shape, stream, kernels)) {
        try (DryRun _ = DryRun.open()) {
          generateNothing(model);
        }
        MemoryReport measured = stream.report();
        stream.install(measured.cappedLayout());
        Weights weights = Weights.random(shape, SEED);
        model.load(weights);
        double difference = largestDifference(model, new ArrayModel(shape, weights));
        return new Result(measured, stream.report(), spills.get(), difference);
      }
    }
  }

  /// What is measured: the prompt at once, then token by token. Which tokens does not matter to
  /// memory.
  private static void generateNothing(DeviceModel<?> model) {
    model.forward(PROMPT).close();
    for (int id : REST) model.forward(id).close();
    model.restart();
  }

  private static double largestDifference(DeviceModel<?> model, ArrayModel oracle) {
    float[] expected = {};
    for (int id : PROMPT) expected = oracle.forward(id);
    double difference = difference(model, expected, PROMPT);
    for (int id : REST)
      difference = Math.max(difference, difference(model, oracle.forward(id), id));
    return difference;
  }

  private static double difference(DeviceModel<?> model, float[] expected, int... ids) {
    try (Buffer logits = model.forward(ids)) {
      float[] found = model.read(logits);
      double largest = 0;
      for (int i = 0; i < found.length; i++)
        largest = Math.max(largest, Math.abs((double) found[i] - expected[i]));
      return Arrays.equals(found, expected) ? 0 : Math.max(largest, Double.MIN_VALUE);
    }
  }
}
