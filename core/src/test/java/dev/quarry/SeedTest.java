package dev.quarry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.InstallException;
import dev.quarry.failure.InstallRefusal.PoolsInUse;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.failure.MemoryFailure.PoolCapacityExceeded;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.RecordingStorage;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageCall;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// The thirteen end-to-end cases that Quarry must pass to behave like the memory management it
/// follows, in their order: on host memory, as they were written, and where nothing but the numbers
/// is kept.
///
/// Tests that open dry runs must not overlap with others of this process, and do not: tests run one
/// after the other.
@ParameterizedClass
@EnumSource
class SeedTest {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final DeviceProperties DEVICE = new DeviceProperties(128 * MIB, 32);
  private static final Layout GROWABLE = Layout.of(PoolSpec.sliced(MIB));

  private final RecordingStorage<?> storage;
  private final List<MemoryEvent.Spilled> spills = new ArrayList<>();
  private DeviceMemory<?> memory;

  /// Reachable until the test ends: a memory takes lost handles back.
  private final List<Handle> held = new ArrayList<>();

  enum Storages {
    HOST_MEMORY,
    NUMBERS_ALONE;

    Storage<?> open() {
      return switch (this) {
        case HOST_MEMORY -> new BytesStorage();
        case NUMBERS_ALONE -> new CountingStorage();
      };
    }
  }

  SeedTest(Storages storages) {
    storage = new RecordingStorage<>(storages.open());
    memory = open(GROWABLE);
  }

  private DeviceMemory<?> open(Layout layout) {
    return DeviceMemory.on(storage, DEVICE)
        .name("Main GPU Memory")
        .layout(layout)
        .listener(
            event -> {
              if (event instanceof MemoryEvent.Spilled spilled) spills.add(spilled);
            })
        .open();
  }

  @AfterEach
  void everythingIsGivenBack() {
    memory.close();
    assertThat(storage.bytesAllocated()).isZero();
    assertThat(DryRun.isOpen()).isFalse();
  }

  private static Layout capped(long page, int pages) {
    return Layout.of(PoolSpec.sliced(page, page * pages));
  }

  private static Layout direct(long reclaimAt) {
    return Layout.of(new PoolSpec.Direct(OptionalLong.of(reclaimAt)));
  }

  private PoolReport pool(int number) {
    return memory.report().pools().get(number);
  }

  private Handle reserve(long size) {
    Handle handle = memory.reserve(size);
    held.add(handle);
    return handle;
  }

  private long allocations() {
    return calls(StorageCall.What.ALLOCATE);
  }

  private long deallocations() {
    return calls(StorageCall.What.DEALLOCATE);
  }

  private long calls(StorageCall.What what) {
    return storage.calls().stream().filter(call -> call.what() == what).count();
  }

  private MemoryFailure refusal(long size) {
    return ((Reservation.Refused) memory.tryReserve(size, DryRun.mapping())).failure();
  }

  private Placement place(Handle handle) {
    return memory.placement(handle);
  }

  @Test
  void programmaticPoolsOverrideRuntimeDefault() {
    memory = open(capped(MIB, 2));
    reserve(4096).close();
    Handle half = reserve(524_288);
    assertThat(memory.usage().bytesReserved()).isEqualTo(MIB);
    assertThat(place(half)).isEqualTo(new Placement(0, 0, 0));
    assertThat(memory.usage().allocations()).isOne();
    assertThat(memory.usage().bytesInUse()).isEqualTo(524_288);
    assertThat(place(reserve(MIB))).isEqualTo(new Placement(0, 1, 0));
    assertThat(place(reserve(512_000))).isEqualTo(new Placement(0, 0, 524_288));
    assertThat(refusal(MIB)).isEqualTo(new PoolCapacityExceeded(MIB, 2 * MIB, 2_084_864));
    assertThat(memory.usage().bytesReserved()).isEqualTo(2 * MIB);
    assertThat(pool(0).pages()).isEqualTo(2);
    assertThat(pool(0).pagesPeak()).isEqualTo(2);
    assertThat(pool(0).largestAlloc()).isEqualTo(MIB);
  }

  @Test
  void cappedPoolRespectsMaxSliceSize() {
    memory =
        open(
            Layout.of(
                new PoolSpec.Sliced(
                    MIB, OptionalLong.of(64 * KIB), OptionalLong.of(2 * MIB), OptionalLong.empty()),
                PoolSpec.sliced(16 * MIB, 32 * MIB)));
    for (int i = 0; i < 4; i++)
      assertThat(place(reserve(MIB))).isEqualTo(new Placement(1, 0, i * MIB));
    assertThat(memory.usage().bytesReserved()).isEqualTo(16 * MIB);
    assertThat(pool(0).pages()).isZero();
    assertThat(place(reserve(4096))).isEqualTo(new Placement(0, 0, 0));
    assertThat(memory.usage().bytesReserved()).isEqualTo(17 * MIB);
    assertThat(pool(0).pagesPeak()).isOne();
    assertThat(pool(1).pagesPeak()).isOne();
  }

  @Test
  void configureRebuildsPoolsInPlace() {
    memory = open(capped(MIB, 2));
    Layout larger = capped(4 * MIB, 2);
    Handle live = reserve(MIB);
    assertThatThrownBy(() -> memory.install(larger))
        .isInstanceOfSatisfying(
            InstallException.class, e -> assertThat(e.refusal()).isEqualTo(new PoolsInUse(MIB)));
    assertThat(pool(0).spec()).isEqualTo(sliced(MIB, 2 * MIB));
    assertThat(memory.locate(live).size()).isEqualTo(MIB);
    assertThat(refusal(2 * MIB)).isEqualTo(new BufferTooBig(2 * MIB));
    live.close();
    memory.install(larger);
    assertThat(pool(0).spec()).isEqualTo(sliced(4 * MIB, 8 * MIB));
    assertThat(pool(0).pages()).isZero();
    assertThat(pool(0).pagesPeak()).isZero();
    assertThat(pool(0).largestAlloc()).isZero();
    reserve(2 * MIB);
    assertThat(memory.usage().bytesReserved()).isEqualTo(4 * MIB);
  }

  private static PoolSpec sliced(long page, long cap) {
    return new PoolSpec.Sliced(
        page, OptionalLong.of(page), OptionalLong.of(cap), OptionalLong.empty());
  }

  /// Two buffers at once, then a larger one where the first was.
  private void workload() {
    Handle a = reserve(614_400);
    Handle b = reserve(614_400);
    assertThat(place(a)).isEqualTo(new Placement(0, 0, 0));
    assertThat(place(b)).isEqualTo(new Placement(0, 1, 0));
    a.close();
    Handle c = reserve(921_600);
    assertThat(place(c)).isEqualTo(new Placement(0, 0, 0));
    b.close();
    c.close();
  }

  @Test
  void measuredPlanCycle() {
    workload();
    PoolReport measured = pool(0);
    assertThat(measured.spec())
        .isEqualTo(
            new PoolSpec.Sliced(
                MIB, OptionalLong.of(MIB), OptionalLong.empty(), OptionalLong.empty()));
    assertThat(measured.largestAlloc()).isEqualTo(921_600);
    assertThat(measured.pagesPeak()).isEqualTo(2);
    assertThat(measured.usage().bytesInUse()).isZero();
    Layout plan = memory.report().cappedLayout();
    assertThat(plan).isEqualTo(Layout.of(sliced(MIB, 2 * MIB)));
    memory.cleanUp();
    memory.install(plan);
    assertThat(pool(0).pages()).isZero();
    assertThat(pool(0).pagesPeak()).isZero();
    workload();
    assertThat(pool(0).pagesPeak()).isEqualTo(2);
    assertThat(pool(0).largestAlloc()).isEqualTo(921_600);
  }

  @Test
  void fullCappedPoolSpillsToTail() {
    memory = open(Layout.of(PoolSpec.sliced(MIB, MIB), PoolSpec.sliced(4 * MIB)));
    assertThat(place(reserve(MIB))).isEqualTo(new Placement(0, 0, 0));
    assertThat(place(reserve(MIB))).isEqualTo(new Placement(1, 0, 0));
    assertThat(spills).containsExactly(new MemoryEvent.Spilled(MIB, 0));
    assertThat(pool(0).pagesPeak()).isOne();
    assertThat(pool(1).pagesPeak()).isOne();
    assertThat(memory.usage().bytesReserved()).isEqualTo(5 * MIB);
  }

  @Test
  void aMeasurementMapsOnlyWhatItResolves() {
    try (DryRun _ = DryRun.open()) {
      Handle warm = reserve(614_400);
      Handle scratch;
      try (RealRun _ = RealRun.open()) {
        scratch = reserve(614_400);
      }
      assertThat(place(scratch).page()).isOne();
      assertThat(pool(0).pages()).isEqualTo(2);
      assertThat(pool(0).pagesUnmapped()).isEqualTo(2);
      assertThat(allocations()).isZero();
      try (Handle clone = scratch.duplicate();
          Binding binding = clone.binding()) {
        memory.locate(binding);
      }
      assertThat(allocations()).isOne();
      assertThat(storage.bytesAllocated()).isEqualTo(MIB);
      assertThat(pool(0).pagesUnmapped()).isOne();
      assertThat(pool(0).pages()).isEqualTo(2);
      warm.close();
      scratch.close();
    }
  }

  @Test
  void dryRunReservationsStayUnmappedUntilResolved() {
    try (DryRun _ = DryRun.open();
        Handle handle = reserve(614_400)) {
      assertThat(pool(0).pages()).isOne();
      assertThat(pool(0).pagesPeak()).isOne();
      assertThat(pool(0).pagesUnmapped()).isOne();
      assertThat(memory.usage().bytesReserved()).isEqualTo(MIB);
      try (Binding binding = handle.binding()) {
        assertThat(memory.locate(binding).size()).isEqualTo(614_400);
        assertThat(memory.locate(binding).offset()).isZero();
      }
      assertThat(pool(0).pagesUnmapped()).isZero();
      assertThat(allocations()).isOne();
    }
    memory.cleanUp();
    assertThat(deallocations()).isOne();
    assertThat(pool(0).pages()).isZero();
    assertThat(pool(0).pagesPeak()).isOne();
  }

  @Test
  void whatIsNeverResolvedIsNeverDeallocated() {
    try (DryRun _ = DryRun.open()) {
      reserve(614_400).close();
    }
    memory.cleanUp();
    assertThat(allocations()).isZero();
    assertThat(deallocations()).isZero();
    assertThat(pool(0).pages()).isZero();
    assertThat(pool(0).pagesPeak()).isOne();
  }

  @Test
  void dryRunPersistentReservationsStayUnmapped() {
    PersistentWindow window = memory.persistent();
    try (DryRun _ = DryRun.open();
        Handle handle = reserve(524_288)) {
      assertThat(memory.report().persistent().pages()).isOne();
      assertThat(memory.report().persistent().pagesUnmapped()).isOne();
      assertThat(pool(0).pages()).isZero();
      assertThat(memory.locate(handle).size()).isEqualTo(524_288);
      assertThat(storage.bytesAllocated()).isEqualTo(524_288);
      assertThat(memory.report().persistent().pagesUnmapped()).isZero();
    }
    window.close();
    assertThat(memory.report().persistent().usage().bytesReserved()).isEqualTo(524_288);
    assertThat(memory.report().persistent().usage().bytesInUse()).isZero();
  }

  @Test
  void aWarmSecondPassMeasuresTheWorkloadAlone() {
    try (DryRun _ = DryRun.open()) {
      Handle live = reserve(614_400);
      try (RealRun _ = RealRun.open()) {
        reserve(614_400).close();
      }
      live.close();
      assertThat(pool(0).pagesPeak()).isEqualTo(2);
      memory.install(GROWABLE);
      assertThat(deallocations()).isZero();
      reserve(614_400).close();
      assertThat(pool(0).pagesPeak()).isOne();
    }
  }

  @Test
  void directPoolPadsOnlyToAlignment() {
    memory = open(Layout.of(PoolSpec.direct()));
    reserve(716_817);
    assertThat(pool(0).spec()).isEqualTo(PoolSpec.direct());
    assertThat(pool(0).usage().bytesInUse()).isEqualTo(716_817);
    assertThat(pool(0).usage().bytesReserved()).isEqualTo(716_832);
    assertThat(pool(0).usage().bytesPadding()).isEqualTo(15);
    assertThat(pool(0).pages()).isOne();
  }

  @Test
  void directPoolReusesBelowTheCeiling() {
    memory = open(direct(8 * MIB));
    for (int i = 0; i < 4; i++) reserve(307_200).close();
    assertThat(allocations()).isOne();
    assertThat(pool(0).pagesPeak()).isOne();
    assertThat(pool(0).pages()).isOne();
    assertThat(pool(0).usage().bytesInUse()).isZero();
    assertThat(pool(0).usage().bytesReserved()).isEqualTo(307_200);
  }

  @Test
  void directPoolReclaimsAtTheCeiling() {
    memory = open(direct(7 * MIB));
    for (int size = 1; size <= 3; size++) reserve(size * MIB).close();
    assertThat(pool(0).pages()).isEqualTo(3);
    assertThat(place(reserve(4 * MIB))).isEqualTo(new Placement(0, 1, 0));
    assertThat(pool(0).pages()).isEqualTo(2);
    assertThat(pool(0).usage().bytesReserved()).isEqualTo(7 * MIB);
    assertThat(pool(0).pagesPeak()).isEqualTo(3);
    assertThat(place(reserve(3 * MIB))).isEqualTo(new Placement(0, 2, 0));
  }

  @Test
  void directPoolCleanupReleasesEverythingFree() {
    memory = open(direct(64 * MIB));
    Handle live = reserve(MIB);
    reserve(2 * MIB).close();
    memory.cleanUp();
    assertThat(deallocations()).isOne();
    assertThat(pool(0).pages()).isOne();
    assertThat(pool(0).usage().bytesReserved()).isEqualTo(MIB);
    assertThat(memory.locate(live).size()).isEqualTo(MIB);
    live.close();
  }
}
