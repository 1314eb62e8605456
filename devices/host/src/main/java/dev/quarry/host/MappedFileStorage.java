package dev.quarry.host;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.Allocations;
import dev.quarry.storage.CommandQueue;
import dev.quarry.storage.HostQueue;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// Memory that files stand behind, for work that is larger than the machine's memory: the kernel
/// writes what is not in use to the disk, and reads it again when it is touched. On Linux.
///
/// Guarantees
/// - Each allocation is a file of its own that has no name once it is mapped: its place on the disk
///   is free again when it is given back, or when the process ends in whatever way.
/// - Its place is taken when it is allocated. A disk without room refuses then, with
///   [MemoryFailure.OutOfMemory] that has the reason as its cause; memory that was handed out can
///   be written.
/// - Fresh allocations read as zero, and begin at a multiple of the kernel's page.
/// - Segments may be used from any thread. One whose allocation was given back throws.
/// - A storage makes as many allocations at once as a quarter of the mappings that the kernel lets
///   a process have (`vm.max_map_count`, of which 16,382 are left here by default), and then
///   refuses with [MemoryFailure.TooManyAllocations]: a runtime that finds no mapping left for
///   itself ends the process.
///
/// It is scratch space: nothing of it can be read by another process or a later one. A disk that
/// breaks while memory is in use ends the access with an [InternalError].
///
/// Threads: single-owner. A storage that is lost without [#close] gives its files back when it is
/// collected; its segments throw from then on.
public final class MappedFileStorage implements Storage<MemorySegment> {
  private static final Cleaner LOST_STORAGES = Cleaner.create();
  private static final long ALIGNMENT = 64;
  private static final Path MOST_MAPPINGS = Path.of("/proc/sys/vm/max_map_count");
  private static final long LINUX_MAPPINGS = 65_530;
  private static final int SHARE = 4;

  private final Path directory;
  private final Libc libc;
  private final Mapper mapper;
  private final long mostMapped;
  private final Allocations<Block> allocations;
  private final Set<Block> mapped = ConcurrentHashMap.newKeySet();
  private final Cleaner.Cleanable cleanable;

  /// Maps files.
  interface Mapper {
    /// Maps a whole file, which has no name then.
    MemorySegment map(Path file, Arena arena) throws IOException;
  }

  MappedFileStorage(Path directory, long limit, Libc libc, Mapper mapper, long mostMappings) {
    this.directory = directory;
    this.libc = libc;
    this.mapper = mapper;
    this.mostMapped = mostMappings / SHARE;
    this.allocations = new Allocations<>(limit, limit);
    Set<Block> left = mapped;
    this.cleanable = LOST_STORAGES.register(this, () -> Block.endAll(left));
  }

  /// Opens a storage.
  ///
  /// @param directory where the files are; it is best on a disk of its own, and of no use on a file
  ///   system that is itself in memory
  /// @param limit the most bytes allocated at once
  /// @throws MemoryException with [MemoryFailure.Unknown] where it is not available, or the
  ///   directory can not be written; the message says why
  /// @throws IllegalArgumentException when the limit is negative
  public static MappedFileStorage open(Path directory, long limit) {
    Libc libc = VirtualProvider.libc("file-backed memory");
    if (!Files.isDirectory(directory) || !Files.isWritable(directory))
      throw new MemoryException(
          new MemoryFailure.Unknown(
              directory + " is not a directory that this process may write to"));
    return new MappedFileStorage(directory, limit, libc, MappedFileStorage::map, mostMappings());
  }

  /// The kernel gives its parameters to the first read only, so that it must be large enough.
  private static long mostMappings() {
    try (BufferedReader reader = Files.newBufferedReader(MOST_MAPPINGS)) {
      return Long.parseLong(String.valueOf(reader.readLine()));
    } catch (IOException | NumberFormatException e) {
      return LINUX_MAPPINGS;
    }
  }

  static MemorySegment map(Path file, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE)) {
      return channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
    }
  }

  @Override
  public long alignment() {
    return ALIGNMENT;
  }

  @Override
  public StorageId allocate(long size) {
    allocations.checkFits(size);
    if (mapped.size() >= mostMapped)
      throw new MemoryException(
          new MemoryFailure.TooManyAllocations(
              mapped.size(), "1/" + SHARE + " of vm.max_map_count"));
    Arena arena = Block.openArena();
    try {
      Block block = new Block(arena, size == 0 ? empty(arena) : mapNewFile(size, arena));
      mapped.add(block);
      return allocations.add(size, block);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static MemorySegment empty(Arena arena) {
    return arena.allocate(0, ALIGNMENT);
  }

  private MemorySegment mapNewFile(long size, Arena arena) {
    Path file = directory.resolve("quarry-" + UUID.randomUUID());
    int errno = libc.createFile(file, size);
    if (errno != 0)
      throw refused(
          size,
          Errno.isFull(errno),
          new IOException(directory + " takes no file of that size: " + Errno.text(errno)));
    try {
      return mapper.map(file, arena);
    } catch (IOException e) {
      removeName(file, e);
      // The runtime's way to say that the kernel has no mapping or address left.
      throw refused(size, e.getCause() instanceof OutOfMemoryError, e);
    }
  }

  private static void removeName(Path file, IOException reason) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  private static MemoryException refused(long size, boolean isFull, IOException reason) {
    return new MemoryException(
        isFull
            ? new MemoryFailure.OutOfMemory(size)
            : new MemoryFailure.Unknown(
                "no file of " + size + " bytes could be mapped: " + reason.getMessage()),
        reason);
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
    mapped.remove(block);
    allocations.remove(id);
  }

  /// Does nothing: files are released at once.
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
    mapped.clear();
    allocations.clear();
    cleanable.clean();
  }
}
