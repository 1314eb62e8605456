package dev.quarry.vulkan;

import static org.lwjgl.vulkan.VK10.*;

import dev.quarry.vulkan.VulkanOptions.Use;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.lwjgl.vulkan.AMDDeviceCoherentMemory;
import org.lwjgl.vulkan.NVExternalMemoryRdma;
import org.lwjgl.vulkan.VK11;

/// The kinds of memory of a device, and which to take for what. Immutable.
///
/// @param types in the driver's order: of two that serve as well, the first is the faster one
/// @param heaps what the types draw on
record MemoryTypes(List<Type> types, List<Heap> heaps) {
  /// @param heap its place among the heaps
  /// @param flags `VK_MEMORY_PROPERTY_…`
  record Type(int heap, int flags) {
    boolean isDeviceLocal() {
      return has(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    }

    boolean isVisible() {
      return has(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    }

    boolean isCoherent() {
      return has(VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    }

    boolean isCached() {
      return has(VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    }

    private boolean has(int flag) {
      return (flags & flag) != 0;
    }
  }

  /// @param size in bytes
  /// @param deviceLocal whether it is the device's own memory
  record Heap(long size, boolean deviceLocal) {}

  /// Memory that buffers of ours never get: it is lent out, or guarded, or needs a feature.
  private static final int UNFIT =
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT
          | VK11.VK_MEMORY_PROPERTY_PROTECTED_BIT
          | AMDDeviceCoherentMemory.VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD
          | NVExternalMemoryRdma.VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV;

  MemoryTypes {
    types = List.copyOf(types);
    heaps = List.copyOf(heaps);
  }

  /// The types that serve a use, the best one first. Those whose heap has less left than is asked
  /// for come last, since a budget is an estimate and the driver may still grant it.
  ///
  /// @param use what the memory is for
  /// @param allowed a bit for each type that the buffer can be bound to
  /// @param left the bytes that each heap has left
  /// @param size the bytes asked for
  List<Integer> candidates(Use use, int allowed, List<Long> left, long size) {
    return IntStream.range(0, types.size())
        .filter(type -> (allowed & 1 << type) != 0 && serves(types.get(type), use))
        .filter(type -> heaps.get(types.get(type).heap()).size() >= size)
        .boxed()
        .sorted(
            Comparator.comparingInt(
                type ->
                    miss(left.get(types.get(type).heap()) >= size, 8) + cost(types.get(type), use)))
        .toList();
  }

  private static boolean serves(Type type, Use use) {
    return (type.flags() & UNFIT) == 0 && (use == Use.DEVICE || type.isVisible());
  }

  private int cost(Type type, Use use) {
    return switch (use) {
      // Best seen by the host, unless that is a small window, which is left to those who need it.
      case DEVICE ->
          miss(type.isDeviceLocal(), 4)
              + miss(!type.isVisible() || isMain(type), 2)
              + miss(type.isVisible(), 1);
      // Written once from end to end: write-combined memory is best, and cached memory of no use.
      case UPLOAD ->
          miss(type.isCoherent(), 4)
              + miss(!type.isDeviceLocal() || isMain(type), 2)
              + miss(!type.isCached(), 1);
      case READBACK -> miss(type.isCached(), 4) + miss(type.isCoherent(), 2);
    };
  }

  private static int miss(boolean met, int cost) {
    return met ? 0 : cost;
  }

  /// Whether a type that the host sees covers the whole memory of the device, as on integrated
  /// devices and behind a resizable BAR.
  private boolean isMain(Type type) {
    long largest =
        heaps.stream().filter(Heap::deviceLocal).mapToLong(Heap::size).max().orElse(Long.MAX_VALUE);
    Heap heap = heaps.get(type.heap());
    return type.isVisible() && heap.deviceLocal() && heap.size() >= largest;
  }

  /// Whether the host may see memory that is not coherent for some use.
  boolean needFlushes(Use use) {
    return types.stream()
        .anyMatch(type -> serves(type, use) && type.isVisible() && !type.isCoherent());
  }

  /// The largest heap that serves a use, in bytes.
  long largestHeap(Use use) {
    return types.stream()
        .filter(type -> serves(type, use))
        .mapToLong(type -> heaps.get(type.heap()).size())
        .max()
        .orElse(0);
  }

  /// The device's own memory, in bytes; everything where it has none of its own.
  long total() {
    return sum(heaps.stream().map(Heap::size).toList());
  }

  /// The sum of figures of the heaps that are the device's own, or of all where none is.
  long sum(List<Long> ofHeaps) {
    boolean own = heaps.stream().anyMatch(Heap::deviceLocal);
    return IntStream.range(0, heaps.size())
        .filter(heap -> !own || heaps.get(heap).deviceLocal())
        .mapToLong(ofHeaps::get)
        .sum();
  }
}
