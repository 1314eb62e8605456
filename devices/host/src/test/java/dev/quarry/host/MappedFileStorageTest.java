package dev.quarry.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.OutOfMemory;
import dev.quarry.failure.MemoryFailure.Unknown;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.testkit.StorageContract;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileStorageTest extends StorageContract<MemorySegment> {
  private static final long MIB = 1 << 20;
  private static final int EACCES = 13;
  private static final int ENOSPC = 28;

  @TempDir private Path directory;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return MappedFileStorage.open(directory, capacity);
  }

  @Override
  protected void write(MemorySegment resource, byte[] bytes) {
    resource.copyFrom(MemorySegment.ofArray(bytes));
  }

  @Override
  protected byte[] read(MemorySegment resource) {
    return resource.toArray(ValueLayout.JAVA_BYTE);
  }

  /// Each is a mapping, of which a process has not that many.
  @Override
  protected int mostAllocations() {
    return 5_000;
  }

  private long mapped() {
    return KernelFigures.mappings(directory.toString());
  }

  private List<Path> names() throws IOException {
    try (Stream<Path> names = Files.list(directory)) {
      return names.toList();
    }
  }

  @Test
  void filesHaveNoNameWhileTheyAreUsedAndAreGoneWhenGivenBack() throws IOException {
    try (MappedFileStorage storage = MappedFileStorage.open(directory, 64 * MIB)) {
      StorageId id = storage.allocate(8 * MIB);
      storage.get(new Region(id, 0, 8 * MIB)).fill((byte) 1);
      assertThat(names()).isEmpty();
      assertThat(mapped()).isEqualTo(1);
      storage.deallocate(id);
      assertThat(mapped()).isZero();
      storage.allocate(MIB);
    }
    assertThat(mapped()).isZero();
  }

  @Test
  void aDiskWithoutRoomRefusesBeforeAnythingIsWritten() throws IOException {
    Path disk = Files.createTempDirectory(Path.of("/dev/shm"), "quarry-full");
    try (MappedFileStorage storage = MappedFileStorage.open(disk, Long.MAX_VALUE)) {
      long size = Files.getFileStore(disk).getTotalSpace() + MIB;
      MemoryException refusal =
          catchThrowableOfType(MemoryException.class, () -> storage.allocate(size));
      assertThat(refusal.failure()).isEqualTo(new OutOfMemory(size));
      assertThat(refusal.getCause()).hasMessageContaining(disk + " takes no file of that size");
      assertThat(storage.bytesAllocated()).isZero();
      assertThat(disk).isEmptyDirectory();
      storage.allocate(MIB);
    } finally {
      Files.delete(disk);
    }
  }

  @Test
  void aDirectoryThatIsMissingOrGoneIsNamed() throws IOException {
    assertThatThrownBy(() -> MappedFileStorage.open(directory.resolve("none"), MIB))
        .hasMessageContaining("none is not a directory that this process may write to");
    Path gone = Files.createDirectory(directory.resolve("gone"));
    try (MappedFileStorage storage = MappedFileStorage.open(gone, MIB)) {
      Files.delete(gone);
      assertThatThrownBy(() -> storage.allocate(1))
          .isInstanceOfSatisfying(
              MemoryException.class, e -> assertThat(e.failure()).isInstanceOf(Unknown.class))
          .hasMessageContaining("ENOENT");
    }
  }

  @Test
  void whateverIsRefusedLeavesTheBooksBalancedAndNoFile() throws IOException {
    for (int errno : new int[] {ENOSPC, EACCES}) {
      for (int call = 0; call < 3; call++) {
        FailingLibc libc = new FailingLibc(call, errno);
        MemoryException refusal = workWithOneRefusal(libc, MappedFileStorage::map);
        assertThat(refusal.failure())
            .isInstanceOf(errno == ENOSPC ? OutOfMemory.class : Unknown.class);
      }
    }
    IOException full = new IOException("Map failed", new OutOfMemoryError("Map failed"));
    IOException broken = new IOException("the disk is broken");
    for (IOException reason : List.of(full, broken)) {
      for (int call = 0; call < 3; call++) {
        int[] left = {call};
        MemoryException refusal =
            workWithOneRefusal(
                new FailingLibc(-1, 0),
                (file, arena) -> {
                  if (left[0]-- == 0) throw reason;
                  return MappedFileStorage.map(file, arena);
                });
        assertThat(refusal).hasCause(reason);
        assertThat(refusal.failure())
            .isInstanceOf(reason == full ? OutOfMemory.class : Unknown.class);
      }
    }
  }

  /// Allocates three times, of which one is refused, and gives everything back.
  private MemoryException workWithOneRefusal(FailingLibc libc, MappedFileStorage.Mapper mapper)
      throws IOException {
    MemoryException refusal = null;
    try (MappedFileStorage storage =
        new MappedFileStorage(directory, 64 * MIB, libc.calls, mapper, 1000)) {
      for (int i = 0; i < 3; i++) {
        long before = storage.bytesAllocated();
        try {
          StorageId id = storage.allocate(MIB + i);
          storage.get(new Region(id, 0, MIB)).fill((byte) 1);
        } catch (MemoryException e) {
          assertThat(refusal).as("an earlier refusal").isNull();
          assertThat(storage.bytesAllocated()).isEqualTo(before);
          refusal = e;
        }
      }
      assertThat(mapped()).isEqualTo(2);
    }
    assertThat(mapped()).isZero();
    assertThat(names()).isEmpty();
    assertThat(refusal).as("the refusal").isNotNull();
    return refusal;
  }

  @Test
  void aStorageLeavesMappingsToTheRestOfTheProcess() {
    FailingLibc libc = new FailingLibc(-1, 0);
    try (MappedFileStorage storage =
        new MappedFileStorage(directory, MIB, libc.calls, MappedFileStorage::map, 12)) {
      List<StorageId> ids = new ArrayList<>();
      for (int i = 0; i < 3; i++) ids.add(storage.allocate(1));
      assertThatThrownBy(() -> storage.allocate(1))
          .hasMessageContaining("has 3 allocations and takes no more")
          .hasMessageContaining("1/4 of vm.max_map_count");
      storage.deallocate(ids.get(1));
      storage.allocate(1);
    }
  }

  @Test
  void aStorageThatIsLostGivesItsFilesBack() {
    MemorySegment kept = segmentOfALostStorage();
    for (int i = 0; i < 500 && mapped() > 0; i++) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(mapped()).isZero();
    assertThatThrownBy(() -> kept.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  private MemorySegment segmentOfALostStorage() {
    MappedFileStorage storage = MappedFileStorage.open(directory, MIB);
    return storage.get(new Region(storage.allocate(100), 0, 100));
  }

  @Test
  void aSegmentThatANativeCallIsInsideOfIsGivenBackAfterwards() throws Throwable {
    InsideOfSegments.check(MappedFileStorage.open(directory, MIB));
    assertThat(mapped()).isZero();
  }
}
