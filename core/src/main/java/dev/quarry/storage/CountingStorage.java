package dev.quarry.storage;

import java.lang.foreign.MemorySegment;

/// A storage without memory behind it, for plans, replays and tests: it counts what a device would
/// be asked for. Its resource is the [Region] itself. Single-owner.
public final class CountingStorage implements Storage<Region> {
  private final long alignment;
  private final Allocations<Long> sizes;
  private long allocations;
  private long deallocations;
  private long flushes;
  private long bytesPeak;

  /// A storage aligned to one byte that never runs out.
  public CountingStorage() {
    this(1, Long.MAX_VALUE);
  }

  /// A storage with this alignment that holds at most `capacity` bytes at once.
  public CountingStorage(long alignment, long capacity) {
    this.alignment = alignment;
    this.sizes = new Allocations<>(capacity, capacity);
  }

  @Override
  public long alignment() {
    return alignment;
  }

  @Override
  public StorageId allocate(long size) {
    sizes.checkFits(size);
    StorageId id = sizes.add(size, size);
    allocations++;
    bytesPeak = Math.max(bytesPeak, sizes.bytes());
    return id;
  }

  @Override
  public Region get(Region region) {
    sizes.of(region);
    return region;
  }

  @Override
  public void deallocate(StorageId id) {
    if (sizes.remove(id) != null) deallocations++;
  }

  @Override
  public void flush() {
    flushes++;
  }

  @Override
  public long bytesAllocated() {
    return sizes.bytes();
  }

  /// A queue whose commands do nothing, since there are no bytes.
  @Override
  public CommandQueue<Region> openQueue() {
    return new QueueOfNothing();
  }

  /// The allocations made so far.
  public long allocations() {
    return allocations;
  }

  /// The allocations given back so far.
  public long deallocations() {
    return deallocations;
  }

  /// The calls of [#flush] so far.
  public long flushes() {
    return flushes;
  }

  /// The most bytes held at once.
  public long bytesPeak() {
    return bytesPeak;
  }

  @Override
  public void close() {
    sizes.refuseMore();
    sizes.clear();
  }

  private static final class QueueOfNothing implements CommandQueue<Region> {
    @Override
    public boolean isSynchronous() {
      return true;
    }

    @Override
    public void write(MemorySegment source, Region target) {}

    @Override
    public void read(Region source, MemorySegment target) {}

    @Override
    public void copy(Region source, Region target) {}

    @Override
    public void fill(Region target, byte value) {}

    @Override
    public Fence fence() {
      return Fence.PASSED;
    }

    @Override
    public void waitFor(Fence fence) {}

    @Override
    public void close() {}
  }
}
