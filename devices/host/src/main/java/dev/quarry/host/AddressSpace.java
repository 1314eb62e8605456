package dev.quarry.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The address space of one storage: stretches of blocks, one or more for each stride.
///
/// Strides are multiples of a page, and from a huge page on multiples of that; from four of them on
/// they come in four steps to a doubling, so that pools of any sizes need few stretches. Address
/// space costs no memory.
final class AddressSpace implements Runnable {
  private static final long STRETCH_BYTES = 1L << 30;
  private static final long LARGEST_STRETCH_BYTES = 1L << 40;
  private static final int FEWEST_BLOCKS = 16;
  private static final int STEPS_BITS = 2;

  private final Libc libc;
  private final HugePages hugePages;
  private final long hugePageBytes;
  private final Map<Long, List<Stretch>> byStride = new HashMap<>();
  private final Set<Reservation> reservations = new HashSet<>();

  private record Reservation(long address, long length) {}

  AddressSpace(Libc libc, HugePages hugePages, long hugePageBytes) {
    this.libc = libc;
    this.hugePages = hugePages;
    this.hugePageBytes = hugePageBytes;
  }

  /// Rounds up to a multiple of a page.
  long pages(long bytes) {
    return roundUp(bytes, libc.pageSize());
  }

  private static long roundUp(long bytes, long unit) {
    return Math.ceilDiv(bytes, unit) * unit;
  }

  private long strideOf(long bytes) {
    long unit = bytes >= hugePageBytes ? hugePageBytes : libc.pageSize();
    long units = Math.ceilDiv(bytes, unit);
    int spare = Math.max(0, 64 - Long.numberOfLeadingZeros(units) - STEPS_BITS - 1);
    return roundUp(units, 1L << spare) * unit;
  }

  /// Takes a block of at least so many accessible bytes.
  ///
  /// @param bytes a multiple of a page, and at most 2^50
  /// @return its address, or an errno with its sign changed; then nothing was taken
  long take(long bytes) {
    long stride = strideOf(bytes);
    List<Stretch> stretches = byStride.computeIfAbsent(stride, _ -> new ArrayList<>());
    for (Stretch stretch : stretches) if (!stretch.isFull()) return stretch.take(bytes);
    for (int count = blocksFor(stride, stretches.size()); ; count = Math.max(count / 16, 1)) {
      long length = count * stride + hugePageBytes;
      long address = libc.reserve(length);
      if (address > 0) {
        Stretch stretch = stretchAt(address, length, stride, count);
        stretches.add(stretch);
        return stretch.take(bytes);
      }
      if (count == 1) return address;
    }
  }

  /// Each further stretch holds twice as many blocks as the one before, so that there are few.
  private static int blocksFor(long stride, int stretchesBefore) {
    long first = Math.max(FEWEST_BLOCKS, STRETCH_BYTES / stride);
    long most = Math.max(FEWEST_BLOCKS, LARGEST_STRETCH_BYTES / stride);
    return (int) Math.min(first << Math.min(stretchesBefore, 16), most);
  }

  private Stretch stretchAt(long address, long length, long stride, int count) {
    reservations.add(new Reservation(address, length));
    long base = roundUp(address, hugePageBytes);
    Libc.Advice advice =
        hugePages == HugePages.WELCOME && stride >= hugePageBytes
            ? Libc.Advice.HUGE_PAGES
            : Libc.Advice.SMALL_PAGES;
    // A kernel built without huge pages refuses the advice, and needs none.
    libc.advise(base, stride * count, advice);
    return new Stretch(libc, base, stride, count);
  }

  /// Takes a block back. Its pages must be dropped already.
  void give(long address, long bytes) {
    for (Stretch stretch : byStride.getOrDefault(strideOf(bytes), List.of())) {
      if (stretch.contains(address)) {
        stretch.give(address);
        return;
      }
    }
    throw new AssertionError("no block at " + address);
  }

  /// Gives all address space back. Nobody may use any of it then.
  @Override
  public void run() {
    byStride.clear();
    reservations.forEach(each -> libc.unmap(each.address(), each.length()));
    reservations.clear();
  }
}
