package dev.quarry.examples;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.Handle;
import dev.quarry.LaunchMode;
import dev.quarry.layout.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The whole loop on host memory: measure the work without touching memory, install the layout that
/// was measured, run the work.
public final class MeasuredPlan {
  private static final int LAYERS = 24;
  private static final long FLOATS = 300_000;

  private MeasuredPlan() {}

  /// Prints the layout before and after, and the result of the work.
  ///
  /// @param args none
  public static void main(String[] args) {
    try (DeviceMemory<MemorySegment> memory =
        DeviceMemory.onHost(Layout.parse("sliced:page=4MiB"))) {
      try (DryRun _ = DryRun.open()) {
        work(memory);
      }
      System.out.println("measured:\n" + memory.report());
      memory.install(memory.report().cappedLayout());
      System.out.println("result: " + work(memory));
      System.out.println("in the measured layout:\n" + memory.report());
    }
  }

  /// A chain of layers, each reading what the one before wrote.
  private static float work(DeviceMemory<MemorySegment> memory) {
    Handle input = memory.reserve(FLOATS * Float.BYTES);
    for (int layer = 0; layer < LAYERS; layer++) {
      Handle output = memory.reserve(FLOATS * Float.BYTES);
      if (LaunchMode.current() == LaunchMode.EXECUTE)
        addOne(memory.resource(input), memory.resource(output));
      input.close();
      input = output;
    }
    try (Handle last = input) {
      return LaunchMode.current() == LaunchMode.SKIP
          ? 0
          : memory.resource(last).getAtIndex(ValueLayout.JAVA_FLOAT, FLOATS - 1);
    }
  }

  private static void addOne(MemorySegment from, MemorySegment to) {
    for (long i = 0; i < FLOATS; i++)
      to.setAtIndex(ValueLayout.JAVA_FLOAT, i, from.getAtIndex(ValueLayout.JAVA_FLOAT, i) + 1);
  }
}
