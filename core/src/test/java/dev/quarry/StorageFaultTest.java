package dev.quarry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.failure.MemoryException;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.FailingStorage;
import dev.quarry.storage.FailingStorage.How;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A device may refuse at any moment. Whichever call it is, the books must balance afterwards, and
/// the memory must go on working.
class StorageFaultTest {
  private static final Layout LAYOUT =
      Layout.parse("sliced:page=4096,cap=8192;exclusive:max=8192,period=20;direct:reclaim=40000");

  @ParameterizedTest
  @EnumSource(How.class)
  void afterAFaultAtAnyCallTheBooksBalance(How how) {
    int calls = 0;
    boolean failed = true;
    while (failed) {
      calls++;
      FailingStorage storage = new FailingStorage(calls, how);
      try (DeviceMemory<Region> memory =
          DeviceMemory.on(storage, new DeviceProperties(1 << 20, 32))
              .layout(LAYOUT)
              .logger(new QuietLogger())
              .open()) {
        Work work = new Work(memory, storage);
        work.run();
        failed = storage.hasFailed();
        if (!failed) break; // the work makes fewer calls: all have failed in turn
        work.closeAll();
        assertThat(memory.usage().allocations()).isZero();
        memory.cleanUp();
        assertThat(memory.usage()).as("call %d", calls).isEqualTo(MemoryUsage.NONE);
        try (Handle handle = memory.reserve(100)) {
          assertThat(memory.resource(handle).size()).isEqualTo(100);
        }
      }
      assertThat(storage.bytesAllocated()).isZero();
    }
    assertThat(calls).as("calls of the workload").isGreaterThan(60);
  }

  /// Touches every pool and every operation that calls the storage; looks at the books after each
  /// step.
  private static final class Work {
    private final DeviceMemory<Region> memory;
    private final FailingStorage storage;
    private final List<Handle> live = new ArrayList<>();

    Work(DeviceMemory<Region> memory, FailingStorage storage) {
      this.memory = memory;
      this.storage = storage;
    }

    void run() {
      for (int round = 0; round < 4; round++) {
        int size = 100 + 37 * round;
        for (int i = 0; i < 6; i++) step(() -> reserve(1000 + size, Mapping.EAGER));
        step(() -> reserve(6000 + size, Mapping.EAGER));
        step(() -> reserve(9000 + size, Mapping.EAGER));
        step(() -> reserve(20_000 + size, Mapping.LAZY));
        step(this::locateAll);
        step(
            () -> {
              try (PersistentWindow _ = memory.persistent()) {
                reserve(300 + size, Mapping.LAZY);
                reserve(300, Mapping.EAGER);
              }
            });
        step(this::locateAll);
        for (int i = 0; i < 9; i++) step(() -> closeOne());
        step(memory::cleanUp);
        if (round == 2) closeAll();
        step(() -> memory.tryInstall(LAYOUT.resolve(memory.properties())));
      }
    }

    private void reserve(long size, Mapping mapping) {
      if (memory.tryReserve(size, mapping) instanceof Handle handle) live.add(handle);
    }

    private void locateAll() {
      for (Handle handle : live) memory.resource(handle);
    }

    private void closeOne() {
      if (!live.isEmpty()) live.remove(live.size() / 2).close();
    }

    void closeAll() {
      live.forEach(Handle::close);
      live.clear();
    }

    private void step(Runnable action) {
      try {
        action.run();
      } catch (MemoryException | IllegalStateException _) {
        assertThat(storage.hasFailed()).isTrue();
      }
      balance();
    }

    private void balance() {
      MemoryReport report = memory.report();
      List<PoolReport> pools =
          Stream.concat(report.pools().stream(), Stream.of(report.persistent())).toList();
      assertThat(report.usage().allocations()).isEqualTo(live.size());
      assertThat(report.usage().bytesInUse())
          .isEqualTo(live.stream().mapToLong(Handle::size).sum());
      if (pools.stream().allMatch(pool -> pool.pagesUnmapped() == 0)) {
        assertThat(storage.bytesAllocated())
            .isEqualTo(report.usage().bytesReserved() + storage.keptByFailure());
      } else {
        assertThat(storage.bytesAllocated())
            .isLessThan(report.usage().bytesReserved() + storage.keptByFailure());
      }
    }
  }
}
