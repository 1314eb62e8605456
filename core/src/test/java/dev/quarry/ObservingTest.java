package dev.quarry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.failure.InstallRefusal.PoolsInUse;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryUsage;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What a memory tells listeners and operators, and what it is told by them.
class ObservingTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(1 << 20, 32);

  private final QuietLogger log = new QuietLogger();
  private final List<MemoryEvent> events = new ArrayList<>();

  /// Reachable until the test ends: a memory takes lost handles back.
  private final List<Handle> held = new ArrayList<>();

  private DeviceMemory<Region> memory(String layout, MemoryOptions options) {
    return DeviceMemory.on(new CountingStorage(), DEVICE)
        .name("m")
        .layout(Layout.parse(layout))
        .options(options)
        .logger(log)
        .listener(events::add)
        .open();
  }

  @Test
  void aListenerHearsEverythingInOrder() {
    try (var memory = memory("sliced:page=1024,cap=1024;direct", MemoryOptions.DEFAULT)) {
      Handle first = memory.reserve(1000, Mapping.LAZY);
      Handle spilled = memory.reserve(100);
      memory.locate(first);
      first.close();
      memory.tryReserve(Long.MAX_VALUE, Mapping.EAGER);
      memory.cleanUp();
      memory.persistent().close();
      assertThat(memory.tryInstall(Layout.parse("direct").resolve(DEVICE))).isPresent();
      assertThat(events)
          .containsExactly(
              events.getFirst(),
              new MemoryEvent.PageAdded(0, 1024, false),
              new MemoryEvent.Reserved(first.id(), 1000, 0, 0, 0, Optional.empty()),
              new MemoryEvent.Spilled(100, 0),
              new MemoryEvent.PageAdded(1, 128, true),
              new MemoryEvent.Reserved(spilled.id(), 100, 1, 0, 0, Optional.empty()),
              new MemoryEvent.PageMapped(0, 1024),
              new MemoryEvent.Released(first.id(), 1000),
              new MemoryEvent.Refused(Long.MAX_VALUE, new BufferTooBig(Long.MAX_VALUE)),
              new MemoryEvent.CleanupRequested(),
              new MemoryEvent.PageDropped(0, 1024, true),
              new MemoryEvent.ModeChanged(true),
              new MemoryEvent.ModeChanged(false),
              new MemoryEvent.InstallRefused(new PoolsInUse(100)));
      assertThat(events.getFirst()).isInstanceOf(MemoryEvent.Installed.class);
    }
  }

  @Test
  void releasesAreToldInTheOrderOfClosing() {
    try (var memory = memory("direct", MemoryOptions.DEFAULT)) {
      List<Handle> handles = new ArrayList<>();
      for (int i = 0; i < 5; i++) handles.add(memory.reserve(32));
      for (Handle handle : handles) handle.close();
      events.clear();
      memory.usage();
      assertThat(events)
          .isEqualTo(
              handles.stream().map(handle -> new MemoryEvent.Released(handle.id(), 32)).toList());
    }
  }

  @Test
  void aListenerThatThrowsHarmsNobody() {
    try (var memory =
        DeviceMemory.on(new CountingStorage(), DEVICE)
            .logger(log)
            .listener(
                event -> {
                  throw new IllegalStateException("listener");
                })
            .open()) {
      memory.reserve(10).close();
      assertThat(memory.usage().allocations()).isZero();
    }
    assertThat(log.warnings).anyMatch(line -> line.contains("a listener failed"));
  }

  @Test
  void aFullPoolIsWarnedAboutOncePerLayout() {
    try (var memory = memory("sliced:page=1024,cap=1024;direct", MemoryOptions.DEFAULT)) {
      for (int i = 0; i < 2; i++) {
        Handle full = memory.reserve(1024);
        memory.reserve(64).close();
        memory.reserve(64).close();
        full.close();
        assertThat(log.warnings)
            .hasSize(i + 1)
            .last()
            .asString()
            .contains("[m] pool 0", "64 bytes");
        memory.install(Layout.parse("sliced:page=1024,cap=1024;direct"));
      }
    }
    assertThat(log.infos).isEmpty();
  }

  @Test
  void logLevelsDecideHowMuchIsWritten() {
    Map<MemoryLog, Integer> lines = new HashMap<>();
    for (MemoryLog level : MemoryLog.values()) {
      log.infos.clear();
      try (var memory = memory("sliced:page=1024", MemoryOptions.DEFAULT.with(level))) {
        memory.reserve(10).close();
        memory.reserve(10).close();
        try (PersistentWindow _ = memory.persistent()) {
          memory.reserve(10).close();
          memory.reserve(10).close();
        }
        memory.cleanUp();
        lines.put(level, log.infos.size());
        assertThat(log.infos).allMatch(line -> line.startsWith("[m] "));
      }
    }
    // Layout, two changes of mode, one new persistent allocation, one cleanup; and three further
    // reservations.
    assertThat(lines)
        .isEqualTo(Map.of(MemoryLog.DISABLED, 0, MemoryLog.BASIC, 5, MemoryLog.FULL, 8));
    assertThat(log.infos)
        .anyMatch(
            line -> line.contains("from a new page of pool 0") && line.contains("persistent"));
  }

  @Test
  void aLostHandleIsReturnedAndNamedByTheStackOfItsReservation() {
    try (var memory = memory("sliced:page=1024", MemoryOptions.DEFAULT.with(LeakTracking.FULL))) {
      loseAHandle(memory);
      loseABinding(memory);
      waitForTheCollector(memory);
      assertThat(events).filteredOn(MemoryEvent.Leaked.class::isInstance).hasSize(2);
      assertThat(log.warnings).hasSize(2).allMatch(line -> line.contains("was never closed"));
      assertThat(log.thrown)
          .allSatisfy(
              site ->
                  assertThat(site.getStackTrace())
                      .anyMatch(frame -> frame.getMethodName().startsWith("lose")));
    }
  }

  @Test
  void withoutTrackingALostHandleIsReturnedInSilence() {
    try (var memory = memory("direct", MemoryOptions.DEFAULT)) {
      loseAHandle(memory);
      waitForTheCollector(memory);
      assertThat(events)
          .filteredOn(MemoryEvent.Leaked.class::isInstance)
          .singleElement()
          .isInstanceOfSatisfying(
              MemoryEvent.Leaked.class,
              leak -> assertThat(leak.reservedAt()).isEqualTo(Optional.empty()));
      assertThat(log.warnings).isEmpty();
    }
  }

  @Test
  void sampledTrackingKeepsOneStackIn128() {
    try (var memory =
        memory("sliced:page=1MiB", MemoryOptions.DEFAULT.with(LeakTracking.SAMPLED))) {
      for (int i = 0; i < 256; i++) loseAHandle(memory);
      waitForTheCollector(memory);
      assertThat(log.thrown).hasSize(2);
      assertThat(log.warnings).hasSize(256);
    }
  }

  @Test
  void closingWithLiveAllocationsIsWarnedAboutWhenTracking() {
    memory("direct", MemoryOptions.DEFAULT.with(LeakTracking.FULL)).reserve(7);
    try (var memory = memory("direct", MemoryOptions.DEFAULT.with(LeakTracking.FULL))) {
      Handle kept = memory.reserve(7);
      memory.close();
      assertThat(log.warnings).containsExactly("[m] closed with 1 live allocations of 7 bytes");
      kept.close();
    }
  }

  private static void loseAHandle(DeviceMemory<?> memory) {
    memory.reserve(10);
  }

  private static void loseABinding(DeviceMemory<?> memory) {
    memory.reserve(10).intoBinding();
  }

  /// The collector owes no promptness, so this asks until it has come, or for too long.
  private static void waitForTheCollector(DeviceMemory<?> memory) {
    for (int i = 0; i < 200 && memory.usage().allocations() > 0; i++) System.gc();
    assertThat(memory.usage().allocations())
        .as("allocations that the collector should have found lost")
        .isZero();
  }

  @Test
  void optionsAreReadFromTextAndUnknownKeysRefused() {
    assertThat(MemoryOptions.parse(Map.of())).isEqualTo(MemoryOptions.DEFAULT);
    assertThat(
            MemoryOptions.parse(
                Map.of(
                    "persistent_memory", "size-match", "log", "full", "leak_tracking", "sampled")))
        .isEqualTo(
            new MemoryOptions(PersistentMemory.SIZE_MATCH, MemoryLog.FULL, LeakTracking.SAMPLED));
    assertThatThrownBy(() -> MemoryOptions.parse(Map.of("pools", "direct")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown key 'pools'");
    assertThatThrownBy(() -> MemoryOptions.parse(Map.of("persistent_memory", "always")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("enabled, size-match, disabled, enforced");
  }

  @Test
  void usageReadsWellForPeople() {
    assertThat(MemoryUsage.NONE.toString())
        .contains("0 B (0.00 % of reserved)")
        .doesNotContain("NaN");
    assertThat(new MemoryUsage(3, 999, 1_500, 2_000_000).toString())
        .contains("999 B (0.05 % of reserved)", "1.50 KB", "2.00 MB");
    assertThat(new MemoryUsage(1, Long.MAX_VALUE, 0, Long.MAX_VALUE).toString())
        .contains("9.22 EB (100.00 %");
  }

  @Test
  void onlyPoolsThatServedAreInTheMeasuredLayout() {
    try (var memory =
        memory(
            "sliced:page=1024,slice=100;sliced:page=4096;exclusive:max=8192,period=7;direct",
            MemoryOptions.DEFAULT)) {
      assertThatThrownBy(() -> memory.report().cappedLayout())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has held a page");
      held.add(memory.reserve(50));
      held.add(memory.reserve(8000));
      assertThat(memory.report().cappedLayout().text())
          .isEqualTo("sliced:page=1KiB,slice=128,cap=1KiB;exclusive:max=8KiB,period=7");
      held.add(memory.reserve(1000));
      assertThat(memory.report().cappedLayout().text())
          .as("a pool that served near its page keeps growing")
          .startsWith("sliced:page=1KiB,slice=128;");
    }
  }

  @Test
  void segmentsOfAScopeComeFromTheMemoryAndGoWithIt() {
    try (DeviceMemory<MemorySegment> memory =
        DeviceMemory.onHost(Layout.parse("sliced:page=1MiB"))) {
      try (HostSegments segments = HostSegments.uninitialized(memory)) {
        segments.allocate(64).fill((byte) 1);
      }
      try (HostSegments segments = HostSegments.zeroed(memory)) {
        assertThat(segments.allocate(64).get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertThat(segments.allocate(10, 4096).address() % 4096).isZero();
        assertThat(segments.allocate(0).byteSize()).isZero();
        assertThat(segments.allocateFrom("text").getString(0)).isEqualTo("text");
        assertThat(memory.usage().allocations()).isEqualTo(4);
        assertThatThrownBy(() -> segments.allocate(-1))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> segments.allocate(1, 3))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(memory.usage().allocations()).isZero();
    }
  }
}
