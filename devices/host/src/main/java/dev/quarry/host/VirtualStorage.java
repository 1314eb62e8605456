package dev.quarry.host;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.Allocations;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.HostQueue;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.function.Consumer;

/// Host memory in address space that is reserved once, and committed as allocations come. On Linux.
///
/// Guarantees
/// - Fresh allocations read as zero. Those of at least 2 MiB begin at a multiple of it, others at a
///   multiple of the kernel's page.
/// - Giving an allocation back returns its memory to the system at once and keeps its addresses:
///   the next allocation of the same size gets the lowest address that is free.
/// - What is allocated is limited, by default to the memory of the machine or its container: beyond
///   it [MemoryFailure.OutOfMemory], and [MemoryFailure.BufferTooBig] for what alone is larger. The
///   kernel commits memory when it is first touched, or at once with [VirtualOptions#populated]; it
///   never holds more than [#bytesAllocated], rounded up to a page for each allocation.
/// - Segments may be used from any thread. One whose allocation was given back throws.
///
/// Every allocation takes a page at least: it is made for pools, and wasteful for thousands of
/// small ones.
///
/// Threads: single-owner. A storage that is lost without [#close] gives its memory back when it is
/// collected, which is not before the last of its segments.
public final class VirtualStorage implements Storage<MemorySegment> {
  private static final Cleaner LOST_STORAGES = Cleaner.create();
  private static final long ALIGNMENT = 64;
  private static final long HUGE_PAGE = 2L << 20;
  private static final long MOST = 1L << 50;

  private final Libc libc;
  private final VirtualOptions options;
  private final AddressSpace space;
  private final Cleaner.Cleanable cleanable;
  private final Allocations<Block> allocations;

  VirtualStorage(Libc libc, VirtualOptions options) {
    this.libc = libc;
    this.options = options;
    this.allocations = new Allocations<>(options.limit(), MOST);
    this.space = new AddressSpace(libc, options.hugePages(), HUGE_PAGE);
    this.cleanable = LOST_STORAGES.register(this, space);
  }

  /// Opens a storage limited to the memory of the machine.
  ///
  /// @throws MemoryException with [MemoryFailure.Unknown] where it is not available; the message
  ///   says why
  public static VirtualStorage open() {
    return open(VirtualOptions.ofMachine());
  }

  /// Opens a storage.
  ///
  /// @throws MemoryException with [MemoryFailure.Unknown] where it is not available; the message
  ///   says why
  public static VirtualStorage open(VirtualOptions options) {
    return new VirtualStorage(VirtualProvider.libc("virtual memory"), options);
  }

  @Override
  public long alignment() {
    return ALIGNMENT;
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    return allocations.add(size, blockAt(size == 0 ? ALIGNMENT : commit(size), size));
  }

  @SuppressWarnings("restricted") // the address is our own
  private Block blockAt(long address, long size) {
    Arena arena = Block.openArena();
    return new Block(
        arena, MemorySegment.ofAddress(address).reinterpret(size, arena, new Keep(this)));
  }

  /// Hangs on the arena of every segment, so that the storage is not lost while anybody has one.
  private record Keep(VirtualStorage storage) implements Consumer<MemorySegment> {
    @Override
    public void accept(MemorySegment segment) {}
  }

  private long commit(long size) {
    long length = space.pages(size);
    long address = space.take(length);
    if (address < 0) throw refused("commit", size, (int) -address);
    int errno = options.locked() ? libc.lock(address, length) : 0;
    if (errno != 0) throw undo(address, length, "lock", size, errno);
    errno = options.populated() ? libc.advise(address, length, Libc.Advice.POPULATE) : 0;
    if (errno == 0) return address;
    if (options.locked()) libc.unlock(address, length);
    throw undo(address, length, "populate", size, errno);
  }

  private MemoryException undo(long address, long length, String call, long size, int errno) {
    libc.advise(address, length, Libc.Advice.DROP);
    space.give(address, length);
    return refused(call, size, errno);
  }

  private static MemoryException refused(String call, long size, int errno) {
    return new MemoryException(
        new MemoryFailure.OutOfMemory(size),
        new IllegalStateException("the kernel did not " + call + " it: " + Errno.text(errno)));
  }

  @Override
  public MemorySegment get(Region region) {
    return allocations.of(region).slice(region);
  }

  @Override
  public void deallocate(StorageId id) {
    Block block = allocations.find(id);
    if (block == null) return;
    block.end();
    if (block.segment().byteSize() > 0) decommit(block.segment());
    allocations.remove(id);
  }

  private void decommit(MemorySegment segment) {
    long address = segment.address();
    long length = space.pages(segment.byteSize());
    int errno = options.locked() ? libc.unlock(address, length) : 0;
    if (errno == 0) errno = libc.advise(address, length, Libc.Advice.DROP);
    if (errno != 0)
      throw new MemoryException(
          new MemoryFailure.ReleaseFailed(
              "the kernel did not drop " + length + " bytes: " + Errno.text(errno)));
    space.give(address, length);
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

  /// Releases everything.
  ///
  /// @throws MemoryException with [MemoryFailure.ReleaseFailed] while another thread is inside a
  ///   segment; closing can be tried again then
  @Override
  public void close() {
    allocations.refuseMore();
    Block.endAll(allocations.all());
    allocations.clear();
    cleanable.clean();
  }
}
