package dev.quarry.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.failure.MemoryFailure.OutOfMemory;
import dev.quarry.failure.MemoryFailure.RegionNotFound;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What every [Storage] must do. Extend it, say how to make the storage and how to read and write
/// its resources, and run it with JUnit:
///
/// ```java
/// class BytesStorageTest extends StorageContract<MemorySegment> {
///   protected Storage<MemorySegment> open(long capacity) {
///     return new BytesStorage(capacity);
///   }
///
///   protected void write(MemorySegment resource, byte[] bytes) {
///     resource.copyFrom(MemorySegment.ofArray(bytes));
///   }
///
///   protected byte[] read(MemorySegment resource) {
///     return resource.toArray(ValueLayout.JAVA_BYTE);
///   }
/// }
/// ```
///
/// Tests run on one thread, each with a storage of its own.
///
/// @param <R> the storage's resource type
public abstract class StorageContract<R> {
  /// What the storages of most tests may hold, in bytes.
  protected static final long CAPACITY = 64 << 20;

  private final List<Storage<R>> opened = new ArrayList<>();

  /// Made by JUnit.
  protected StorageContract() {}

  /// Makes a storage that holds at least, and if it can be limited at most, `capacity` bytes.
  ///
  /// @param capacity in bytes
  /// @return a storage that holds nothing yet
  protected abstract Storage<R> open(long capacity);

  /// Writes a resource from its first byte on, and returns when the bytes are there.
  ///
  /// @param resource what [Storage#get] gave
  /// @param bytes as many as the resource has
  protected abstract void write(R resource, byte[] bytes);

  /// Reads a whole resource.
  ///
  /// @param resource what [Storage#get] gave
  /// @return its bytes
  protected abstract byte[] read(R resource);

  /// Whether resources have bytes; if not, the tests of bytes are skipped.
  ///
  /// @return true unless overridden
  protected boolean holdsBytes() {
    return true;
  }

  /// Whether fresh allocations read as zero.
  ///
  /// @return true unless overridden
  protected boolean zeroes() {
    return true;
  }

  /// Whether `capacity` is a limit, so that refusals can be tested.
  ///
  /// @return true unless overridden
  protected boolean canBeLimited() {
    return true;
  }

  /// How many allocations a storage of most tests has room for at once, whatever their sizes.
  ///
  /// @return a hundred thousand unless overridden
  protected int mostAllocations() {
    return 100_000;
  }

  private Storage<R> storage() {
    return storage(CAPACITY);
  }

  private Storage<R> storage(long capacity) {
    Storage<R> storage = open(capacity);
    opened.add(storage);
    return storage;
  }

  @AfterEach
  void closeStorages() {
    opened.forEach(Storage::close);
  }

  private static Region all(StorageId id, long size) {
    return new Region(id, 0, size);
  }

  private static void refuses(Runnable action, Class<? extends MemoryFailure> kind) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            MemoryException.class, e -> assertThat(e.failure()).isInstanceOf(kind));
  }

  private static byte[] pattern(int size, int seed) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) bytes[i] = (byte) (seed * 31 + i);
    return bytes;
  }

  @Test
  void alignmentIsPositive() {
    assertThat(storage().alignment()).isPositive();
  }

  @Test
  void everyAllocationHasANameOfItsOwn() {
    Storage<R> storage = storage();
    List<StorageId> ids = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      StorageId id = storage.allocate(64);
      if (i % 2 == 0) storage.deallocate(id);
      ids.add(id);
    }
    assertThat(ids).doesNotHaveDuplicates();
  }

  @Test
  void freshMemoryReadsAsZero() {
    assumeTrue(holdsBytes() && zeroes(), "this storage does not promise zeros");
    Storage<R> storage = storage();
    for (int round = 0; round < 3; round++) {
      StorageId id = storage.allocate(16);
      assertThat(read(storage.get(all(id, 16)))).containsOnly(0);
      write(storage.get(all(id, 16)), pattern(16, 7));
      storage.deallocate(id);
      storage.flush();
    }
  }

  @Test
  void aWindowIsTheBytesBetweenItsEnds() {
    assumeTrue(holdsBytes(), "this storage holds no bytes");
    Storage<R> storage = storage();
    StorageId id = storage.allocate(64);
    write(storage.get(all(id, 64)), pattern(64, 0));
    assertThat(read(storage.get(new Region(id, 24, 8))))
        .containsExactly(24, 25, 26, 27, 28, 29, 30, 31);
  }

  @Test
  void windowsOfOneAllocationAreApart() {
    assumeTrue(holdsBytes(), "this storage holds no bytes");
    Storage<R> storage = storage();
    StorageId id = storage.allocate(64);
    List<R> windows = new ArrayList<>();
    for (int i = 0; i < 4; i++) windows.add(storage.get(new Region(id, 16L * i, 16)));
    for (int i = 0; i < 4; i++) write(windows.get(i), pattern(16, i));
    for (int i = 0; i < 4; i++) assertThat(read(windows.get(i))).isEqualTo(pattern(16, i));
  }

  @Test
  void allocationsAreApart() {
    assumeTrue(holdsBytes(), "this storage holds no bytes");
    Storage<R> storage = storage();
    int[] sizes = {1, 63, 64, 65, 1000, 4096, 32_768, 32_769, 100_000, 1 << 20};
    List<StorageId> ids = new ArrayList<>();
    for (int size : sizes) ids.add(storage.allocate(size));
    for (int i = 0; i < sizes.length; i++)
      write(storage.get(all(ids.get(i), sizes[i])), pattern(sizes[i], i));
    for (int i = 0; i < sizes.length; i++)
      assertThat(read(storage.get(all(ids.get(i), sizes[i])))).isEqualTo(pattern(sizes[i], i));
  }

  @Test
  void nothingIsALegalSize() {
    Storage<R> storage = storage();
    StorageId first = storage.allocate(0);
    StorageId second = storage.allocate(0);
    assertThat(first).isNotEqualTo(second);
    assertThat(storage.get(all(first, 0))).isNotNull();
    refuses(() -> storage.get(all(first, 1)), RegionNotFound.class);
    assertThat(storage.bytesAllocated()).isZero();
    storage.deallocate(first);
    refuses(() -> storage.get(all(first, 0)), RegionNotFound.class);
    assertThat(storage.get(all(second, 0))).isNotNull();
  }

  @Test
  void aRegionOutsideItsAllocationIsRefused() {
    Storage<R> storage = storage();
    StorageId id = storage.allocate(64);
    assertThat(storage.get(new Region(id, 64, 0))).isNotNull();
    for (Region outside :
        List.of(
            all(id, 65),
            new Region(id, 65, 0),
            new Region(id, 60, 5),
            new Region(id, Long.MAX_VALUE, Long.MAX_VALUE))) {
      refuses(() -> storage.get(outside), RegionNotFound.class);
    }
    refuses(() -> storage.get(all(new StorageId(1 << 30), 1)), RegionNotFound.class);
  }

  @Test
  void whatWasGivenBackIsGoneAtOnce() {
    Storage<R> storage = storage();
    StorageId id = storage.allocate(1 << 16);
    storage.deallocate(id);
    refuses(() -> storage.get(all(id, 1)), RegionNotFound.class);
    assertThat(storage.bytesAllocated()).isZero();
    storage.flush();
    refuses(() -> storage.get(all(id, 1)), RegionNotFound.class);
  }

  @Test
  void givingBackTwiceOrWhatIsUnknownDoesNothing() {
    Storage<R> storage = storage();
    StorageId id = storage.allocate(100);
    StorageId other = storage.allocate(200);
    storage.deallocate(id);
    storage.deallocate(id);
    storage.deallocate(new StorageId(1 << 30));
    storage.flush();
    storage.flush();
    assertThat(storage.bytesAllocated()).isEqualTo(200);
    assertThat(storage.get(all(other, 200))).isNotNull();
  }

  @Test
  void aRefusalSaysWhetherWaitingHelpsAndChangesNothing() {
    assumeTrue(canBeLimited(), "this storage can not be limited");
    Storage<R> storage = storage(1 << 20);
    StorageId half = storage.allocate(1 << 19);
    refuses(() -> storage.allocate((1 << 19) + 1), OutOfMemory.class);
    refuses(() -> storage.allocate((1 << 20) + 1), BufferTooBig.class);
    refuses(() -> storage.allocate(Long.MAX_VALUE), BufferTooBig.class);
    assertThat(storage.bytesAllocated()).isEqualTo(1 << 19);
    assertThat(storage.get(all(half, 1 << 19))).isNotNull();
    storage.deallocate(half);
    storage.flush();
    assertThat(storage.allocate(1 << 20)).isNotNull();
  }

  @Test
  void closingReleasesEverythingAndRefusesMore() {
    Storage<R> storage = storage();
    StorageId id = storage.allocate(100);
    storage.allocate(1 << 20);
    storage.close();
    storage.close();
    assertThat(storage.bytesAllocated()).isZero();
    refuses(() -> storage.get(all(id, 1)), RegionNotFound.class);
    assertThatThrownBy(() -> storage.allocate(1)).isInstanceOf(MemoryException.class);
    storage.deallocate(id);
    storage.flush();
  }

  @Test
  void manySmallAllocationsComeAndGo() {
    Storage<R> storage = storage();
    List<StorageId> ids = new ArrayList<>();
    for (int i = 0; i < mostAllocations(); i++) ids.add(storage.allocate(64 + i % 512));
    for (int i = 0; i < ids.size(); i += 2) storage.deallocate(ids.get(i));
    for (int i = 1; i < ids.size(); i += 2)
      assertThat(storage.get(all(ids.get(i), 64 + i % 512))).isNotNull();
    for (int i = 1; i < ids.size(); i += 2) storage.deallocate(ids.get(i));
    storage.flush();
    assertThat(storage.bytesAllocated()).isZero();
  }

  /// Pages come and go in any order, and the storage must neither lose one nor mix two up.
  @Test
  void aRandomSequenceKeepsBooksAndBytes() {
    long seed = System.nanoTime();
    System.out.println(getClass().getSimpleName() + ": seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    Storage<R> storage = storage();
    Map<StorageId, byte[]> held = new LinkedHashMap<>();
    long bytes = 0;
    for (int step = 0; step < 2_000; step++) {
      if (random.nextInt(3) > 0) {
        int size = random.nextInt(1 << random.nextInt(18));
        if (bytes + size > CAPACITY || held.size() == mostAllocations()) continue;
        StorageId id = storage.allocate(size);
        byte[] content = pattern(size, step);
        if (holdsBytes()) write(storage.get(all(id, size)), content);
        held.put(id, content);
        bytes += size;
      } else if (!held.isEmpty()) {
        StorageId id = new ArrayList<>(held.keySet()).get(random.nextInt(held.size()));
        byte[] content = Objects.requireNonNull(held.remove(id));
        if (holdsBytes())
          assertThat(read(storage.get(all(id, content.length))))
              .as("seed %d, step %d", seed, step)
              .isEqualTo(content);
        storage.deallocate(id);
        if (random.nextInt(10) == 0) storage.flush();
        bytes -= content.length;
      }
      assertThat(storage.bytesAllocated()).as("seed %d, step %d", seed, step).isEqualTo(bytes);
    }
    held.forEach(
        (id, content) -> {
          if (holdsBytes())
            assertThat(Arrays.equals(read(storage.get(all(id, content.length))), content)).isTrue();
          storage.deallocate(id);
        });
    storage.flush();
    assertThat(storage.bytesAllocated()).isZero();
  }
}
