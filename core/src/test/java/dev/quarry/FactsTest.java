package dev.quarry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.InstallRefusal.CaptureActive;
import dev.quarry.failure.InstallRefusal.PoolsInUse;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.failure.MemoryFailure.MappingFailed;
import dev.quarry.failure.MemoryFailure.OutOfMemory;
import dev.quarry.failure.MemoryFailure.PoolCapacityExceeded;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.Preset;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// Small facts about memories, each worked out by hand. Together they fix the behaviour where a
/// general rule could be read in two ways.
class FactsTest {
  private static final long MIB = 1 << 20;

  private final CountingStorage storage = new CountingStorage(1, 512 * MIB);
  private DeviceMemory<Region> memory = memory(32, Preset.SUB_SLICES);

  /// Reachable until the test ends: a memory takes lost handles back.
  private final List<Handle> held = new ArrayList<>();

  private DeviceMemory<Region> memory(long alignment, Layout layout) {
    return memory(alignment, layout, PersistentMemory.ENABLED);
  }

  private DeviceMemory<Region> memory(long alignment, Layout layout, PersistentMemory setting) {
    memory =
        DeviceMemory.on(storage, new DeviceProperties(128 * MIB, alignment))
            .layout(layout)
            .options(MemoryOptions.DEFAULT.with(setting))
            .logger(new QuietLogger())
            .open();
    return memory;
  }

  private DeviceMemory<Region> memory(long alignment, String layout) {
    return memory(alignment, Layout.parse(layout));
  }

  @AfterEach
  void close() {
    memory.close();
  }

  private Handle reserve(long size) {
    return reserve(size, Mapping.EAGER);
  }

  private Handle reserve(long size, Mapping mapping) {
    Handle handle = memory.reserve(size, mapping);
    held.add(handle);
    return handle;
  }

  private MemoryFailure refusal(long size) {
    return ((Reservation.Refused) memory.tryReserve(size, Mapping.EAGER)).failure();
  }

  private PoolReport pool(int number) {
    return memory.report().pools().get(number);
  }

  private PoolReport persistent() {
    return memory.report().persistent();
  }

  private static MemoryUsage usage(long allocations, long inUse, long padding, long reserved) {
    return new MemoryUsage(allocations, inUse, padding, reserved);
  }

  @Nested
  class SlicedPools {
    @Test
    void aFullCapRefusesAndAFreedPlaceServes() {
      memory(32, "sliced:page=1024,cap=2048");
      Handle first = reserve(1024);
      Handle second = reserve(1024);
      assertThat(refusal(1024)).isEqualTo(new PoolCapacityExceeded(1024, 2048, 2048));
      first.close();
      first = reserve(1024);
      assertThat(memory.usage().bytesReserved()).isEqualTo(2048);
      first.close();
      second.close();
      memory.cleanUp();
      assertThat(memory.usage()).isEqualTo(MemoryUsage.NONE);
      reserve(1024);
      reserve(1024);
      assertThat(refusal(1024)).isInstanceOf(PoolCapacityExceeded.class);
      assertThat(pool(0).pagesPeak()).isEqualTo(2);
    }

    @Test
    void pagesAreSharedReusedAndAdded() {
      memory(32, "sliced:page=2048");
      reserve(512);
      reserve(512);
      assertThat(memory.usage()).isEqualTo(usage(2, 1024, 0, 2048));
      memory(32, "sliced:page=512");
      reserve(512).close();
      reserve(512);
      assertThat(memory.usage()).isEqualTo(usage(1, 512, 0, 512));
      memory(32, "sliced:page=1024");
      reserve(768);
      reserve(768);
      assertThat(memory.usage().bytesReserved()).isEqualTo(2048);
    }

    @Test
    void oddAlignmentsPad() {
      memory(50, "sliced:page=500");
      reserve(40);
      reserve(40);
      assertThat(memory.usage()).isEqualTo(usage(2, 80, 20, 500));
    }

    @Test
    void eachSizeGoesToItsPage() {
      memory(10, "sliced:page=100;sliced:page=200;sliced:page=300;sliced:page=400");
      for (long size : new long[] {50, 150, 250, 350}) reserve(size);
      assertThat(memory.usage().bytesInUse()).isEqualTo(800);
      assertThat(memory.usage().bytesReserved()).isEqualTo(1000);
    }

    @Test
    void theDefaultLayoutPutsSmallRequestsOnOnePage() {
      List<Handle> handles = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        for (long size = 1000; size <= 5000; size += 1000) handles.add(reserve(size));
        assertThat(memory.usage()).isEqualTo(usage(5, 15_000, 72, 8 * MIB));
        handles.forEach(Handle::close);
      }
    }

    @Test
    void nearPageRequestsAreTakenWithoutACapOnly() {
      memory(1, "sliced:page=1000,slice=10");
      assertThat(memory.tryReserve(801, Mapping.EAGER)).isInstanceOf(Handle.class);
      assertThat(refusal(800)).isEqualTo(new BufferTooBig(800));
      memory(1, "sliced:page=1MiB,slice=10");
      assertThat(memory.tryReserve(838_861, Mapping.EAGER)).isInstanceOf(Handle.class);
      assertThat(refusal(838_860)).isEqualTo(new BufferTooBig(838_860));
      memory(1, "sliced:page=1000,slice=10,cap=4000");
      assertThat(refusal(1000)).isEqualTo(new BufferTooBig(1000));
    }

    @Test
    void aFreedHoleKeepsItsPadding() {
      memory(32, "sliced:page=1024");
      Handle hole = reserve(100);
      Handle wall = reserve(32);
      hole.close();
      Handle again = reserve(100);
      assertThat(memory.placement(again).offset()).isZero();
      again.close();
      Handle part = reserve(40);
      Handle rest = reserve(64);
      assertThat(memory.placement(part).offset()).isZero();
      assertThat(memory.placement(rest).offset()).isEqualTo(64);
      List.of(part, rest, wall).forEach(Handle::close);
      assertThat(memory.report().pools().getFirst().largestFree()).isEqualTo(1024);
      memory.cleanUp();
      assertThat(storage.bytesAllocated()).isZero();
    }

    /// One page of 32 bytes, with letters for 16, 4, 15, 8 and so on, as far as first fit goes.
    @Test
    void extentsJoinTheirNeighbours() {
      memory(4, "sliced:page=32MiB,cap=32MiB");
      Handle a = reserve(4 * MIB);
      Handle b = reserve(15 * MIB);
      Handle c = reserve(8 * MIB);
      Handle d = reserve(4 * MIB);
      assertThat(refusal(8 * MIB)).isInstanceOf(PoolCapacityExceeded.class);
      b.close();
      Handle e = reserve(9 * MIB);
      assertThat(memory.placement(e).offset()).isEqualTo(4 * MIB);
      assertThat(refusal(9 * MIB)).isInstanceOf(PoolCapacityExceeded.class);
      c.close();
      assertThat(pool(0).largestFree()).isEqualTo(14 * MIB);
      assertThat(memory.placement(d).offset()).isEqualTo(27 * MIB);
      Handle f = reserve(9 * MIB);
      assertThat(memory.placement(f).offset()).isEqualTo(13 * MIB);
      a.close();
      d.close();
      assertThat(pool(0).largestFree()).isEqualTo(10 * MIB);
    }

    @Test
    void requestsOfNothingTakeNothing() {
      memory(32, "sliced:page=1024,cap=1024");
      Handle nothing = reserve(0);
      assertThat(pool(0).pages()).isOne();
      Handle all = reserve(1024);
      Handle more = reserve(0);
      assertThat(memory.placement(more)).isEqualTo(new Placement(0, 0, 0));
      assertThat(memory.usage()).isEqualTo(usage(3, 1024, 0, 1024));
      all.close();
      Handle part = reserve(100);
      assertThat(memory.placement(reserve(0)).offset()).isEqualTo(128);
      part.close();
      memory.cleanUp();
      assertThat(pool(0).pages()).isOne();
      nothing.close();
    }

    @Test
    void cleanupRenumbersThePagesThatStay() {
      memory(32, "sliced:page=1024");
      Handle first = reserve(1024);
      Handle second = reserve(1000);
      Handle third = reserve(1024);
      first.close();
      memory.cleanUp();
      assertThat(memory.placement(second)).isEqualTo(new Placement(0, 0, 0));
      assertThat(memory.placement(third)).isEqualTo(new Placement(0, 1, 0));
      second.close();
      Handle fourth = reserve(1024);
      assertThat(memory.placement(fourth)).isEqualTo(new Placement(0, 0, 0));
      assertThat(memory.locate(third).size()).isEqualTo(1024);
    }
  }

  @Nested
  class ExclusivePools {
    @Test
    void aPageIsAsLargeAsTheAverageAndIsReused() {
      memory(32, "exclusive:max=512");
      reserve(100).close();
      assertThat(memory.usage().bytesReserved()).isEqualTo(256);
      reserve(100);
      assertThat(memory.usage()).isEqualTo(usage(1, 100, 28, 256));
    }

    @Test
    void everyAllocationHasItsPage() {
      memory(32, "exclusive:max=1024");
      reserve(512);
      reserve(512);
      assertThat(memory.usage()).isEqualTo(usage(2, 1024, 0, 1024));
      memory(32, "exclusive:max=1024");
      reserve(768);
      reserve(768);
      assertThat(memory.usage().bytesInUse()).isEqualTo(1536);
      memory(50, "exclusive:max=1000");
      reserve(40);
      reserve(40);
      assertThat(memory.usage().bytesPadding()).isEqualTo(20);
    }

    @Test
    void aSmallRequestOfThePresetTakesHalfABucket() {
      memory(32, Preset.EXCLUSIVE_PAGES);
      Handle handle = reserve(10);
      assertThat(memory.placement(handle).pool()).isZero();
      assertThat(memory.usage().bytesReserved()).isEqualTo(16_224);
    }

    @Test
    void aPageNeverReusedLeavesAtTheFirstCheck() {
      memory(32, "exclusive:max=1024,period=50;direct");
      reserve(512).close();
      for (int i = 0; i < 8; i++) reserve(2048).close();
      assertThat(pool(0).pages()).isOne();
      reserve(2048).close();
      assertThat(pool(0).pages()).isZero();
    }

    @Test
    void aPageReusedOftenLeavesAtTheFifthCheck() {
      memory(32, "exclusive:max=1024,period=500;direct");
      for (int i = 0; i < 6; i++) reserve(512).close();
      int reservations = 6;
      while (pool(0).pages() > 0) {
        reserve(2048).close();
        reservations++;
      }
      assertThat(reservations).isEqualTo(500);
    }

    @Test
    void theyMapAtOnceEvenInADryRun() {
      memory(32, "exclusive:max=1024");
      reserve(100, Mapping.LAZY);
      assertThat(pool(0).pagesUnmapped()).isZero();
      assertThat(storage.allocations()).isOne();
    }

    @Test
    void aPageHeldByABindingSurvivesCleanup() {
      memory(32, "exclusive:max=1024");
      Handle first = reserve(1024);
      Binding held = reserve(1024).intoBinding();
      Handle third = reserve(1024);
      first.close();
      third.close();
      memory.cleanUp();
      assertThat(memory.locate(held).size()).isEqualTo(1024);
      assertThat(memory.usage().bytesReserved()).isEqualTo(1024);
    }
  }

  @Nested
  class DirectPools {
    @Test
    void sizesThatPadAlikeReuseEachOther() {
      memory(32, "direct");
      reserve(50).close();
      reserve(40);
      assertThat(storage.allocations()).isOne();
      assertThat(memory.usage()).isEqualTo(usage(1, 40, 24, 64));
    }

    @Test
    void theCeilingNeverRefuses() {
      memory(32, "direct:reclaim=1MiB");
      reserve(MIB);
      reserve(4 * MIB);
      assertThat(memory.usage().bytesReserved()).isEqualTo(5 * MIB);
    }

    @Test
    void whatIsReclaimedIsFlushedBeforeMoreIsAskedFor() {
      memory(32, "direct:reclaim=300MiB");
      reserve(300 * MIB).close();
      reserve(301 * MIB);
      assertThat(storage.flushes()).isOne();
      assertThat(storage.bytesPeak()).isEqualTo(301 * MIB);
    }
  }

  @Nested
  class PersistentPools {
    private MemoryUsage inUse() {
      return persistent().usage();
    }

    @Test
    void onlyExactSizesAreReused() {
      memory(4, "direct");
      memory.persistent();
      Handle first = reserve(1024);
      Handle second = reserve(1024);
      assertThat(inUse()).isEqualTo(usage(2, 2048, 0, 2048));
      first.close();
      reserve(1025).close();
      assertThat(persistent().pages()).isEqualTo(3);
      Handle again = reserve(1024);
      assertThat(memory.placement(again)).isEqualTo(new Placement(255, 0, 0));
      assertThat(inUse().bytesInUse()).isEqualTo(2048);
      reserve(1025).close();
      assertThat(persistent().pages()).isEqualTo(3);
      again.close();
      second.close();
      assertThat(inUse().bytesInUse()).isZero();
    }

    @Test
    void reuseSetsThePaddingToo() {
      memory(4, "direct");
      memory.persistent();
      reserve(1025).close();
      Handle reused = reserve(1028);
      assertThat(inUse()).isEqualTo(usage(1, 1028, 0, 1028));
      reused.close();
      reserve(1025);
      assertThat(inUse()).isEqualTo(usage(1, 1025, 3, 1028));
      assertThat(storage.allocations()).isOne();
    }
  }

  @Nested
  class Routing {
    @Test
    void aPoolThatAcceptsGrowsBeforeALaterPoolsRoomIsUsed() {
      memory(32, "sliced:page=1024,cap=1024;sliced:page=1024");
      reserve(1024);
      reserve(1024);
      assertThat(memory.usage().bytesReserved()).isEqualTo(2048);
      assertThat(pool(0).pagesPeak()).isOne();
      assertThat(pool(1).pagesPeak()).isOne();
    }

    @Test
    void theLastFullPoolIsTheOneReported() {
      memory(32, "sliced:page=1024,cap=1024;sliced:page=2048,cap=2048");
      reserve(1024);
      reserve(2048);
      assertThat(refusal(1000)).isEqualTo(new PoolCapacityExceeded(1000, 2048, 2048));
    }

    @Test
    void aRefusalOfTheDeviceIsFinalAndAFullPoolExplainsItBetter() {
      memory(32, "sliced:page=1GiB;direct");
      assertThat(refusal(32)).isEqualTo(new BufferTooBig(1 << 30));
      memory(32, "sliced:page=1024,cap=1024;sliced:page=1GiB;direct");
      reserve(1024);
      assertThat(refusal(1024)).isEqualTo(new PoolCapacityExceeded(1024, 1024, 1024));
    }

    @Test
    void absurdSizesAreTooBig() {
      assertThat(refusal(Long.MAX_VALUE)).isEqualTo(new BufferTooBig(Long.MAX_VALUE));
      memory(1, "direct");
      reserve(7);
      assertThat(((Reservation.Refused) memory.tryReserve(Long.MAX_VALUE, Mapping.LAZY)).failure())
          .isEqualTo(new OutOfMemory(Long.MAX_VALUE));
      assertThat(memory.usage().allocations()).isOne();
    }

    @Test
    void whatCanNotBeMappedStaysReservedAndMayBeTriedAgain() {
      memory(32, "sliced:page=300MiB");
      Handle wall = reserve(MIB, Mapping.EAGER);
      Handle late = reserve(300 * MIB, Mapping.LAZY);
      assertThatThrownBy(() -> memory.locate(late))
          .isInstanceOfSatisfying(
              MemoryException.class,
              e ->
                  assertThat(e.failure())
                      .isEqualTo(new MappingFailed(300 * MIB, new OutOfMemory(300 * MIB))));
      assertThat(pool(0).pagesUnmapped()).isOne();
      wall.close();
      memory.cleanUp();
      assertThat(memory.locate(late).size()).isEqualTo(300 * MIB);
    }
  }

  @Nested
  class Installing {
    @Test
    void anythingLiveRefuses() {
      memory(32, "sliced:page=1024");
      Handle nothing = reserve(0);
      assertThat(memory.tryInstall(Preset.SUB_SLICES.resolve(memory.properties())))
          .contains(new PoolsInUse(0));
      nothing.close();
      assertThat(memory.tryInstall(Preset.SUB_SLICES.resolve(memory.properties()))).isEmpty();
    }

    @Test
    void aCaptureRefusesAndNothingChanges() {
      memory(32, "sliced:page=1024");
      reserve(10).close();
      try (GraphCapture _ = memory.capture()) {
        assertThat(memory.tryInstall(Preset.SUB_SLICES.resolve(memory.properties())))
            .contains(new CaptureActive());
        assertThat(pool(0).pages()).isOne();
      }
    }

    @Test
    void persistentMemorySurvives() {
      memory(32, "sliced:page=1024");
      Handle weights;
      try (PersistentWindow _ = memory.persistent()) {
        weights = reserve(MIB);
      }
      memory.install(Layout.parse("sliced:page=1024;direct;exclusive:max=10"));
      assertThat(memory.locate(weights).size()).isEqualTo(MIB);
      assertThat(persistent().pages()).isOne();
    }

    @Test
    void aLayoutForOtherPropertiesIsMisuse() {
      assertThatThrownBy(
              () -> memory.tryInstall(Preset.SUB_SLICES.resolve(new DeviceProperties(MIB, 4))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("resolved for");
    }
  }

  @Nested
  class Windows {
    @Test
    void windowsNest() {
      memory(32, "sliced:page=4096");
      PersistentWindow outer = memory.persistent();
      memory.persistent().close();
      reserve(1024);
      assertThat(persistent().usage().bytesInUse()).isEqualTo(1024);
      assertThat(pool(0).pagesPeak()).isZero();
      outer.close();
      outer.close();
      reserve(1024);
      assertThat(pool(0).pagesPeak()).isOne();
      assertThat(memory.mode()).isEqualTo(AllocationMode.AUTO);
    }

    @Test
    void theBaseModeComesBack() {
      memory = DeviceMemory.on(storage, DeviceMemory.HOST).mode(AllocationMode.PERSISTENT).open();
      memory.persistent().close();
      assertThat(memory.mode()).isEqualTo(AllocationMode.PERSISTENT);
    }

    @Test
    void theSettingDecidesWhoIsHonoured() {
      for (PersistentMemory setting : PersistentMemory.values()) {
        memory(32, Layout.parse("sliced:page=4096"), setting);
        PersistentWindow window = memory.persistent();
        Handle inWindow = reserve(1024);
        window.close();
        Handle sameSize = reserve(1024);
        Handle otherSize = reserve(2048);
        int expected =
            switch (setting) {
              case ENABLED -> 1;
              case SIZE_MATCH -> 2;
              case DISABLED -> 0;
              case ENFORCED -> 3;
            };
        assertThat(List.of(inWindow, sameSize, otherSize))
            .as("%s", setting)
            .filteredOn(handle -> memory.placement(handle).pool() == 255)
            .hasSize(expected);
      }
    }
  }

  @Nested
  class Captures {
    @Test
    void whatWasHandedOutIsPinnedAndNotReused() {
      memory(32, Preset.EXCLUSIVE_PAGES);
      for (int round = 0; round < 2; round++) {
        try (GraphCapture capture = memory.capture()) {
          reserve(1024).close();
          List<Handle> pins = capture.end();
          held.addAll(pins);
          assertThat(pins).hasSize(1);
          if (round == 0) pins.forEach(Handle::close);
        }
      }
      long reserved = memory.usage().bytesReserved();
      memory.persistent();
      reserve(1024);
      assertThat(memory.usage().bytesReserved()).isGreaterThan(reserved);
    }

    @Test
    void anIdleSliceIsNotPinnedAndALiveOneStaysMutable() {
      memory.persistent();
      reserve(1024).close();
      Handle live = reserve(512);
      GraphCapture capture = memory.capture();
      reserve(2048).close();
      assertThat(capture.end()).extracting(Handle::size).containsExactly(2048L);
      assertThat(live.canMut()).isTrue();
    }

    @Test
    void aSliceUsedAgainInsideIsPinnedOnce() {
      memory.persistent();
      Handle before = reserve(1024);
      GraphCapture capture = memory.capture();
      capture.endPriming();
      before.close();
      reserve(1024);
      assertThat(capture.end()).hasSize(1);
    }

    @Test
    void cleanupDuringACaptureDoesNothing() {
      GraphCapture capture = memory.capture();
      reserve(1024).close();
      memory.cleanUp();
      assertThat(capture.end()).hasSize(1);
    }

    @Test
    void aSecondBeginJoinsTheFirstAndEndsWithIt() {
      GraphCapture first = memory.capture();
      reserve(1024);
      GraphCapture second = memory.capture();
      reserve(2048);
      assertThat(second.end()).hasSize(2);
      assertThat(first.end()).isEmpty();
    }

    @Test
    void primingMakesAsManyPlacesAsTheWorkHolds() {
      GraphCapture capture = memory.capture();
      for (int i = 0; i < 3; i++) reserve(1024).close();
      long reserved = memory.usage().bytesReserved();
      assertThat(persistent().pages()).isEqualTo(3);
      assertThat(persistent().usage().bytesInUse()).isEqualTo(3 * 1024);
      capture.endPriming();
      assertThat(persistent().usage().bytesInUse()).isZero();
      for (int i = 0; i < 3; i++) reserve(1024);
      assertThat(memory.usage().bytesReserved()).isEqualTo(reserved);
    }

    @Test
    void withoutPinsEverythingIsFreeAgain() {
      try (GraphCapture _ = memory.capture()) {
        reserve(1024).close();
        assertThat(memory.usage().bytesInUse()).isEqualTo(1024);
      }
      assertThat(memory.usage().bytesInUse()).isZero();
      assertThat(memory.mode()).isEqualTo(AllocationMode.AUTO);
    }

    @Test
    void aPinForbidsWritingInPlace() {
      GraphCapture capture = memory.capture();
      Handle handle = reserve(1024);
      List<Handle> pins = capture.end();
      assertThat(handle.canMut()).isFalse();
      pins.forEach(Handle::close);
      assertThat(handle.canMut()).isTrue();
    }
  }
}
