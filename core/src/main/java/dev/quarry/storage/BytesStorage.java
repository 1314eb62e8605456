package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Host memory outside the heap. Fresh allocations read as zero and are released at once.
///
/// Large allocations have a shared arena of their own, so that giving one back frees it. Opening
/// and closing a shared arena costs tens of microseconds, so allocations of up to 32 KiB share
/// slabs: a slab is cut into equal slots of a power of two, and is freed with its last slot; one
/// empty slab of each slot size is kept against churn, 2.8 MiB in all at most. Segments may be used
/// from any thread; the storage itself is single-owner. A storage that is lost without [#close]
/// frees its memory when it is collected.
public final class BytesStorage implements Storage<MemorySegment> {
  private static final Cleaner LOST_STORAGES = Cleaner.create();
  static final long ALIGNMENT = 64;
  private static final int LARGEST_SLOT_BITS = 15;
  private static final int SMALLEST_SLOT_BITS = 6;
  private static final long SLAB_BYTES = 256 << 10;

  /// What an allocation of zero bytes is: an address that is not null, and no bytes.
  private static final MemorySegment NO_BYTES =
      Arena.ofAuto().allocate(ALIGNMENT, ALIGNMENT).asSlice(0, 0);

  private final Arenas arenas = new Arenas();
  private final Cleaner.Cleanable cleanable = LOST_STORAGES.register(this, arenas);
  private final Allocations<Block> allocations;
  private final List<List<Slab>> slabsWithRoom = new ArrayList<>();

  /// Host memory limited by nothing but the machine.
  public BytesStorage() {
    this(Long.MAX_VALUE);
  }

  /// Host memory of which at most `limit` bytes are allocated at once.
  ///
  /// Beyond that allocations are refused with [MemoryFailure.OutOfMemory], and ones larger than the
  /// limit with [MemoryFailure.BufferTooBig].
  public BytesStorage(long limit) {
    allocations = new Allocations<>(limit, limit);
    for (int bits = SMALLEST_SLOT_BITS; bits <= LARGEST_SLOT_BITS; bits++)
      slabsWithRoom.add(new ArrayList<>());
  }

  @Override
  public long alignment() {
    return ALIGNMENT;
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    return allocations.add(size, makeBlock(size));
  }

  private Block makeBlock(long size) {
    if (size == 0) return new Block.Empty(NO_BYTES);
    if (size > 1L << LARGEST_SLOT_BITS) return new Block.Own(arenas.allocate(size));
    int slotBits = Math.max(SMALLEST_SLOT_BITS, 64 - Long.numberOfLeadingZeros(size - 1));
    List<Slab> withRoom = slabsWithRoom.get(slotBits - SMALLEST_SLOT_BITS);
    if (withRoom.isEmpty()) withRoom.add(new Slab(arenas.allocate(SLAB_BYTES), slotBits));
    Slab slab = withRoom.getLast();
    int slot = slab.take();
    if (slab.isFull()) withRoom.removeLast();
    return new Block.Slot(slab, slot, slab.segment(slot).asSlice(0, size).fill((byte) 0));
  }

  @Override
  public MemorySegment get(Region region) {
    MemorySegment segment = allocations.of(region).segment();
    return segment.asSlice(region.offset(), region.size());
  }

  @Override
  public void deallocate(StorageId id) {
    Block block = allocations.find(id);
    if (block == null) return;
    release(block);
    allocations.remove(id);
  }

  private void release(Block block) {
    switch (block) {
      case Block.Empty _ -> {}
      case Block.Own(ArenaBytes own) -> arenas.free(own);
      case Block.Slot(Slab slab, int slot, _) -> release(slab, slot);
    }
  }

  private void release(Slab slab, int slot) {
    List<Slab> withRoom = slabsWithRoom.get(slab.slotBits - SMALLEST_SLOT_BITS);
    if (slab.isFull()) withRoom.add(slab);
    slab.give(slot);
    if (slab.isEmpty() && withRoom.size() > 1) {
      arenas.free(slab.bytes);
      withRoom.remove(slab);
    }
  }

  /// Does nothing: memory is released at once.
  @Override
  public void flush() {}

  @Override
  public long bytesAllocated() {
    return allocations.bytes();
  }

  /// A queue that runs each command at once.
  @Override
  public CommandQueue<MemorySegment> openQueue() {
    return new HostQueue();
  }

  @Override
  public void close() {
    allocations.refuseMore();
    allocations.clear();
    slabsWithRoom.forEach(List::clear);
    cleanable.clean();
  }

  /// What stands behind an id.
  private sealed interface Block {
    MemorySegment segment();

    record Empty(MemorySegment segment) implements Block {}

    record Own(ArenaBytes bytes) implements Block {
      @Override
      public MemorySegment segment() {
        return bytes.segment;
      }
    }

    record Slot(Slab slab, int slot, MemorySegment segment) implements Block {}
  }

  private record ArenaBytes(Arena arena, MemorySegment segment) {}

  /// Equal slots in one arena; `free` is a stack of slot numbers.
  private static final class Slab {
    final ArenaBytes bytes;
    final int slotBits;
    private final int[] free;
    private int freeCount;

    Slab(ArenaBytes bytes, int slotBits) {
      this.bytes = bytes;
      this.slotBits = slotBits;
      this.free = new int[(int) (SLAB_BYTES >> slotBits)];
      while (freeCount < free.length) give(free.length - 1 - freeCount);
    }

    int take() {
      return free[--freeCount];
    }

    void give(int slot) {
      free[freeCount++] = slot;
    }

    boolean isFull() {
      return freeCount == 0;
    }

    boolean isEmpty() {
      return freeCount == free.length;
    }

    MemorySegment segment(int slot) {
      return bytes.segment.asSlice((long) slot << slotBits, 1L << slotBits);
    }
  }

  /// Every arena that is open; closing them is what a lost storage still owes.
  private static final class Arenas implements Runnable {
    private final Set<Arena> open = ConcurrentHashMap.newKeySet();

    @SuppressWarnings("MustBeClosedChecker") // closed by free, by the storage, or by the cleaner
    ArenaBytes allocate(long size) {
      Arena arena = Arena.ofShared();
      try {
        ArenaBytes bytes = new ArenaBytes(arena, arena.allocate(size, ALIGNMENT));
        open.add(arena);
        return bytes;
      } catch (OutOfMemoryError | IllegalArgumentException e) {
        arena.close();
        throw new MemoryException(new MemoryFailure.OutOfMemory(size), e);
      }
    }

    /// An arena refuses to close while another thread is inside one of its segments.
    void free(ArenaBytes bytes) {
      try {
        bytes.arena.close();
      } catch (IllegalStateException e) {
        throw new MemoryException(
            new MemoryFailure.ReleaseFailed(String.valueOf(e.getMessage())), e);
      }
      open.remove(bytes.arena);
    }

    @Override
    public void run() {
      for (Arena arena : open) arena.close();
      open.clear();
    }
  }
}
