package dev.quarry.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.testkit.StorageContract;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VirtualStorageTest extends StorageContract<MemorySegment> {
  private static final long MIB = 1 << 20;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  @Override
  protected Storage<MemorySegment> open(long capacity) {
    return VirtualStorage.open(VirtualOptions.ofMachine().limit(capacity));
  }

  @Override
  protected void write(MemorySegment resource, byte[] bytes) {
    resource.copyFrom(MemorySegment.ofArray(bytes));
  }

  @Override
  protected byte[] read(MemorySegment resource) {
    return resource.toArray(ValueLayout.JAVA_BYTE);
  }

  private static MemorySegment bytes(VirtualStorage storage, StorageId id, long size) {
    return storage.get(new Region(id, 0, size));
  }

  @Test
  void largeAllocationsBeginAtAHugePageAndSmallOnesAtAPage() {
    try (VirtualStorage storage = VirtualStorage.open()) {
      for (long size : new long[] {2 * MIB, 2 * MIB + 1, 3 * MIB, 64 * MIB, 65 * MIB + 7}) {
        MemorySegment bytes = bytes(storage, storage.allocate(size), size);
        assertThat(bytes.address() % (2 * MIB)).as("%d bytes", size).isZero();
      }
      for (long size : new long[] {1, 4096, 5000, MIB, 2 * MIB - 1}) {
        MemorySegment bytes = bytes(storage, storage.allocate(size), size);
        assertThat(bytes.address() % 4096).as("%d bytes", size).isZero();
      }
    }
  }

  @Test
  void aPageKeepsItsAddressWhenItIsGivenBackAndTakenAgain() {
    try (VirtualStorage storage = VirtualStorage.open()) {
      List<StorageId> ids = new ArrayList<>();
      List<Long> addresses = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        ids.add(storage.allocate(4 * MIB));
        addresses.add(bytes(storage, ids.get(i), 4 * MIB).address());
      }
      for (int i : new int[] {5, 2, 7}) storage.deallocate(ids.get(i));
      for (int i : new int[] {2, 5, 7}) {
        StorageId again = storage.allocate(4 * MIB);
        assertThat(bytes(storage, again, 4 * MIB).address()).isEqualTo(addresses.get(i));
      }
    }
  }

  @Test
  void whatTheKernelHoldsIsWhatIsAllocatedToAPageForEachAllocation() {
    for (HugePages pages : HugePages.values()) {
      VirtualOptions options = VirtualOptions.ofMachine().hugePages(pages).populate();
      try (VirtualStorage storage = VirtualStorage.open(options)) {
        List<StorageId> ids = new ArrayList<>();
        long[] sizes = {1, 5000, 100_000, 3 * MIB, 8 * MIB, 17 * MIB + 1};
        for (long size : sizes) ids.add(storage.allocate(size));
        long held = 0;
        for (int i = 0; i < sizes.length; i++)
          held += KernelFigures.resident(storage, ids.get(i), sizes[i]);
        assertThat(held)
            .as("%s: the kernel's figure for %d bytes", pages, storage.bytesAllocated())
            .isBetween(storage.bytesAllocated(), storage.bytesAllocated() + 4096L * sizes.length);
      }
    }
  }

  @Test
  void memoryGivenBackLeavesTheProcessAtOnce() {
    try (VirtualStorage storage = VirtualStorage.open()) {
      StorageId id = storage.allocate(64 * MIB);
      StorageId kept = storage.allocate(64 * MIB);
      MemorySegment bytes = bytes(storage, id, 64 * MIB).fill((byte) 1);
      bytes(storage, kept, 64 * MIB).fill((byte) 2);
      long address = bytes.address();
      assertThat(KernelFigures.residentBytes(address, 64 * MIB)).isEqualTo(64 * MIB);
      storage.deallocate(id);
      assertThat(KernelFigures.residentBytes(address, 64 * MIB)).isZero();
      assertThat(KernelFigures.resident(storage, kept, 64 * MIB)).isEqualTo(64 * MIB);
    }
  }

  @Test
  void allocatingTouchesNothingUnlessAskedTo() {
    try (VirtualStorage storage = VirtualStorage.open()) {
      StorageId id = storage.allocate(256 * MIB);
      assertThat(KernelFigures.resident(storage, id, 256 * MIB)).isZero();
      bytes(storage, id, 256 * MIB).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
      assertThat(KernelFigures.resident(storage, id, 256 * MIB)).isBetween(4096L, 2 * MIB);
    }
  }

  @Test
  void closingGivesAddressSpaceBack() {
    long before = KernelFigures.mappings();
    for (int i = 0; i < 200; i++) {
      try (VirtualStorage storage = VirtualStorage.open()) {
        storage.allocate(10);
        storage.allocate(3 * MIB);
        storage.allocate(100 * MIB);
      }
    }
    assertThat(KernelFigures.mappings()).isLessThan(before + 100);
  }

  @Test
  void segmentsOfMemoryGivenBackThrowInsteadOfCrashing() {
    try (VirtualStorage storage = VirtualStorage.open()) {
      StorageId id = storage.allocate(MIB);
      MemorySegment kept = bytes(storage, id, MIB);
      storage.deallocate(id);
      assertThatThrownBy(() -> kept.get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void theLimitIsThatOfTheMachineUnlessGiven() {
    long machine = VirtualOptions.ofMachine().limit();
    assertThat(machine).isBetween(64 * MIB, 1L << 45);
    try (VirtualStorage storage = VirtualStorage.open()) {
      assertThatThrownBy(() -> storage.allocate(machine + 1)).hasMessageContaining("never fit");
    }
  }

  @Test
  void manySizesNeedFewMappings() {
    try (VirtualStorage storage = VirtualStorage.open(VirtualOptions.ofMachine().limit(1L << 45))) {
      long before = KernelFigures.mappings();
      List<StorageId> ids = new ArrayList<>();
      for (int i = 1; i <= 5000; i++) ids.add(storage.allocate(i * 37_123L));
      for (int i = 0; i < ids.size(); i += 2) storage.deallocate(ids.get(i));
      assertThat(KernelFigures.mappings() - before).isLessThan(700);
    }
  }

  @Test
  void lockedMemoryIsLockedOrRefusedWithTheReason() {
    try (VirtualStorage storage = VirtualStorage.open(VirtualOptions.ofMachine().lock())) {
      try {
        StorageId id = storage.allocate(MIB);
        assertThat(KernelFigures.resident(storage, id, MIB)).isEqualTo(MIB);
        storage.deallocate(id);
      } catch (RuntimeException e) {
        assertThat(e.getCause()).hasMessageContaining("did not lock it");
      }
      assertThat(storage.bytesAllocated()).isZero();
    }
  }
}
