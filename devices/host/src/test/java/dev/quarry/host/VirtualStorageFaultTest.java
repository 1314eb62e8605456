package dev.quarry.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class VirtualStorageFaultTest {
  private static final int ENOMEM = 12;
  private static final long MIB = 1 << 20;

  @BeforeAll
  static void skipWhereThereIsNone() {
    Available.orSkip();
  }

  private static final VirtualOptions ALL_BUT_LOCKED =
      VirtualOptions.ofMachine().limit(256 * MIB).populate();
  private static final VirtualOptions ALL = ALL_BUT_LOCKED.lock();

  /// Allocates and gives back in several sizes; whatever is refused is passed over once, and given
  /// back again.
  private static List<MemoryException> work(VirtualStorage storage) {
    List<MemoryException> refusals = new ArrayList<>();
    List<StorageId> ids = new ArrayList<>();
    long[] sizes = {100, 5000, 64 * 1024, 100, 5000, 64 * 1024, 2 * MIB};
    long expected = 0;
    for (long size : sizes) {
      try {
        StorageId id = storage.allocate(size);
        expected += size;
        MemorySegment bytes = storage.get(new Region(id, 0, size));
        assertThat(bytes.get(ValueLayout.JAVA_BYTE, size - 1)).as("fresh memory").isZero();
        bytes.fill((byte) 1);
        ids.add(id);
      } catch (MemoryException e) {
        refusals.add(e);
      }
      assertThat(storage.bytesAllocated()).isEqualTo(expected);
    }
    for (StorageId id : ids) {
      try {
        storage.deallocate(id);
      } catch (MemoryException e) {
        refusals.add(e);
        assertThatThrownBy(() -> storage.get(new Region(id, 0, 1)))
            .isInstanceOf(MemoryException.class);
        storage.deallocate(id);
      }
    }
    assertThat(storage.bytesAllocated()).isZero();
    return refusals;
  }

  private static boolean mayLock() {
    try (VirtualStorage storage = VirtualStorage.open(ALL)) {
      storage.allocate(4 * MIB);
      return true;
    } catch (MemoryException e) {
      return false;
    }
  }

  @Test
  void whateverCallIsRefusedTheBooksBalanceAndNothingStaysReserved() {
    VirtualOptions options = mayLock() ? ALL : ALL_BUT_LOCKED;
    FailingLibc sound = new FailingLibc(-1, 0);
    VirtualStorage whole = new VirtualStorage(sound.calls, options);
    assertThat(work(whole)).isEmpty();
    whole.close();
    assertThat(sound.reserved()).isZero();
    int calls = sound.made.size();
    for (int call = 0; call < calls; call++) {
      FailingLibc failing = new FailingLibc(call, ENOMEM);
      VirtualStorage storage = new VirtualStorage(failing.calls, options);
      List<MemoryException> refusals = work(storage);
      work(storage);
      storage.close();
      String what = "call " + call + ", " + (failing.hasFailed() ? failing.failed() : "none");
      assertThat(failing.locked()).as(what).isZero();
      if (failing.hasFailed() && failing.failed().equals("unmap")) continue;
      assertThat(failing.reserved()).as(what).isZero();
      assertThat(refusals)
          .as(what)
          .hasSizeLessThanOrEqualTo(1)
          .allSatisfy(
              refusal -> {
                assertThat(refusal.failure())
                    .isInstanceOfAny(
                        MemoryFailure.OutOfMemory.class, MemoryFailure.ReleaseFailed.class);
                assertThat(refusal + " " + refusal.getCause()).contains("ENOMEM");
              });
    }
  }

  @Test
  void aStorageThatIsLostGivesItsMemoryBack() throws Exception {
    FailingLibc libc = new FailingLibc(-1, 0);
    lose(libc);
    for (int i = 0; i < 500 && libc.reserved() > 0; i++) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(libc.reserved()).isZero();
  }

  @Test
  void aStorageIsNotLostWhileAnybodyHasASegmentOfIt() {
    FailingLibc libc = new FailingLibc(-1, 0);
    MemorySegment kept = segmentOfALostStorage(libc);
    for (int i = 0; i < 20; i++) System.gc();
    assertThat(libc.reserved()).isPositive();
    assertThat(kept.get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 7);
  }

  private static MemorySegment segmentOfALostStorage(FailingLibc libc) {
    VirtualStorage storage = new VirtualStorage(libc.calls, VirtualOptions.ofMachine());
    return storage.get(new Region(storage.allocate(100), 0, 100)).fill((byte) 7);
  }

  @Test
  void aSegmentThatANativeCallIsInsideOfIsGivenBackAfterwards() throws Throwable {
    InsideOfSegments.check(VirtualStorage.open());
  }

  private static void lose(FailingLibc libc) {
    new VirtualStorage(libc.calls, VirtualOptions.ofMachine()).allocate(MIB);
    assertThat(libc.reserved()).isPositive();
  }
}
