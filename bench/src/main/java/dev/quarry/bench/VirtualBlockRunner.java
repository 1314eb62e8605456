package dev.quarry.bench;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.lang.ref.Reference;
import java.nio.LongBuffer;
import java.util.Locale;
import java.util.stream.IntStream;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.util.vma.Vma;
import org.lwjgl.util.vma.VmaVirtualAllocationCreateInfo;
import org.lwjgl.util.vma.VmaVirtualBlockCreateInfo;

/// Sets a sliced pool of one page beside the virtual block of the Vulkan Memory Allocator, on the
/// same operations: what an operation costs, and how far into the page the sequence reaches, which
/// is what fragmentation costs. Nothing stands behind either page.
///
/// Ours includes what a reservation is besides its place: a handle, counts for other threads,
/// statistics, marks. Theirs includes the call into native code.
///
/// Usage: `VirtualBlockRunner TRACES [RUNS]`, where TRACES are names that the
/// [generator][TraceGenerator] knows, joined by commas. The median of RUNS runs (9 by default)
/// counts, after two seconds to warm up.
public final class VirtualBlockRunner {
  private static final int ALIGNMENT = 32;

  /// Their search for the lowest offset looks at every range: with more live than this, a run takes
  /// minutes.
  private static final int MOST_FOR_MIN_OFFSET = 5_000;

  private static final long WARM_UP_NANOS = 2_000_000_000;

  private VirtualBlockRunner() {}

  /// What one run took, and where it reached.
  private record Run(double nanosPerOp, long end) {}

  /// Something that runs operations in one page.
  private interface Runner {
    Run run(Ops ops, long page);
  }

  /// Runs every trace in every way.
  ///
  /// @param args traces, and optionally the number of runs
  public static void main(String[] args) {
    int runs = args.length > 1 ? Integer.parseInt(args[1]) : 9;
    System.out.printf(
        Locale.ROOT,
        "%-6s %-24s %9s %9s %9s %16s %8s%n",
        "trace",
        "allocator",
        "ops",
        "ns/op",
        "min",
        "end",
        "of peak");
    for (String trace : args[0].split(",", -1)) {
      Ops ops = Ops.generate(trace);
      print(ops, "quarry", VirtualBlockRunner::inPool, runs);
      print(ops, "vma", (o, page) -> inBlock(o, page, 0), runs);
      if (ops.slots() <= MOST_FOR_MIN_OFFSET) {
        int minOffset = Vma.VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_OFFSET_BIT;
        print(ops, "vma, min offset", (o, page) -> inBlock(o, page, minOffset), runs);
      }
      int minMemory = Vma.VMA_VIRTUAL_ALLOCATION_CREATE_STRATEGY_MIN_MEMORY_BIT;
      print(ops, "vma, min memory", (o, page) -> inBlock(o, page, minMemory), runs);
    }
  }

  private static void print(Ops ops, String name, Runner runner, int runs) {
    long page = Long.highestOneBit(ops.peakBytes()) * 4;
    long warm = System.nanoTime() + WARM_UP_NANOS;
    while (System.nanoTime() < warm) runner.run(ops, page);
    Run[] all = IntStream.range(0, runs).mapToObj(_ -> runner.run(ops, page)).toArray(Run[]::new);
    double[] times =
        IntStream.range(0, runs).mapToDouble(i -> all[i].nanosPerOp()).sorted().toArray();
    System.out.printf(
        Locale.ROOT,
        "%-6s %-24s %9d %9.1f %9.1f %16d %8.3f%n",
        ops.name(),
        name,
        ops.timed(),
        times[runs / 2],
        times[0],
        all[0].end(),
        (double) all[0].end() / ops.peakBytes());
  }

  private static Run inPool(Ops ops, long page) {
    DeviceProperties properties = new DeviceProperties(page, ALIGNMENT);
    try (DeviceMemory<Region> memory =
        DeviceMemory.on(new CountingStorage(), properties)
            .layout(Layout.of(PoolSpec.sliced(page)))
            .open()) {
      Handle[] handles = new Handle[ops.slots()];
      try {
        Run run = inPool(ops, memory, handles);
        if (memory.usage().bytesReserved() > page)
          throw new IllegalStateException(ops.name() + " does not fit into " + page + " bytes");
        return run;
      } finally {
        Reference.reachabilityFence(handles);
      }
    }
  }

  private static Run inPool(Ops ops, DeviceMemory<Region> memory, Handle[] handles) {
    long end = 0;
    int untimed = ops.size() - ops.timed();
    long start = System.nanoTime();
    for (int i = 0; i < ops.size(); i++) {
      if (i == untimed) start = System.nanoTime();
      int slot = ops.slot(i);
      if (ops.isFree(i)) {
        handles[slot].close();
      } else {
        Handle handle = memory.reserve(ops.bytes(i));
        handles[slot] = handle;
        Region region = memory.locate(handle);
        end = Math.max(end, region.offset() + region.size());
      }
    }
    double nanos = System.nanoTime() - start;
    return new Run(nanos / ops.timed(), end);
  }

  private static Run inBlock(Ops ops, long page, int strategy) {
    try (MemoryStack stack = MemoryStack.stackPush()) {
      PointerBuffer pointer = stack.mallocPointer(1);
      check(Vma.vmaCreateVirtualBlock(VmaVirtualBlockCreateInfo.calloc(stack).size(page), pointer));
      long block = pointer.get(0);
      try {
        VmaVirtualAllocationCreateInfo info =
            VmaVirtualAllocationCreateInfo.calloc(stack).alignment(ALIGNMENT).flags(strategy);
        return inBlock(ops, block, info, pointer, stack.mallocLong(1));
      } finally {
        Vma.vmaClearVirtualBlock(block);
        Vma.vmaDestroyVirtualBlock(block);
      }
    }
  }

  private static Run inBlock(
      Ops ops,
      long block,
      VmaVirtualAllocationCreateInfo info,
      PointerBuffer allocation,
      LongBuffer offset) {
    long[] allocations = new long[ops.slots()];
    long end = 0;
    int untimed = ops.size() - ops.timed();
    long start = System.nanoTime();
    for (int i = 0; i < ops.size(); i++) {
      if (i == untimed) start = System.nanoTime();
      int slot = ops.slot(i);
      if (ops.isFree(i)) {
        Vma.vmaVirtualFree(block, allocations[slot]);
      } else {
        long bytes = Math.max(1, ops.bytes(i));
        check(Vma.vmaVirtualAllocate(block, info.size(bytes), allocation, offset));
        allocations[slot] = allocation.get(0);
        end = Math.max(end, offset.get(0) + bytes);
      }
    }
    double nanos = System.nanoTime() - start;
    return new Run(nanos / ops.timed(), end);
  }

  private static void check(int status) {
    if (status != 0)
      throw new IllegalStateException("the virtual block answered " + status + ": it is full");
  }
}
