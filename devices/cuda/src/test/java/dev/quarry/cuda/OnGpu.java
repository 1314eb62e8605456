package dev.quarry.cuda;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.quarry.DryRun;
import dev.quarry.cuda.CudaOptions.Way;
import dev.quarry.failure.MemoryException;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.report.MemoryReport;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.Device;
import dev.quarry.runtime.DeviceOptions;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import dev.quarry.storage.StorageProvider.Availability;
import dev.quarry.testkit.DeviceContract;
import dev.quarry.testkit.QueueContract;
import dev.quarry.testkit.StorageContract;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/// What `on-gpu.sh` runs on a machine with a real device: the contracts in each way, a measured
/// plan larger than the card, a full card, lazy mapping, and timings. Exits with 1 when a check
/// failed.
final class OnGpu {
  private static final long MIB = 1 << 20;
  private static int failures;

  private OnGpu() {}

  private abstract static class Storages extends StorageContract<CudaWindow> {
    private final List<CudaQueue> queues = new ArrayList<>();
    private final Way way;

    Storages(Way way) {
      this.way = way;
    }

    @Override
    protected Storage<CudaWindow> open(long capacity) {
      CudaStorage storage = CudaStorage.open(0, CudaOptions.DEFAULT.way(way).limit(capacity));
      queues.add(storage.openQueue());
      return storage;
    }

    @AfterEach
    void closeQueues() {
      queues.forEach(CudaQueue::close);
    }

    @Override
    protected boolean zeroes() {
      return false;
    }

    @Override
    protected int mostAllocations() {
      return way == Way.VIRTUAL ? 100 : super.mostAllocations();
    }

    @Override
    protected void write(CudaWindow resource, byte[] bytes) {
      queues.getLast().write(MemorySegment.ofArray(bytes), resource);
    }

    @Override
    protected byte[] read(CudaWindow resource) {
      byte[] bytes = new byte[(int) resource.size()];
      queues.getLast().read(resource, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  /// The contract of storages over `cuMemAlloc`.
  static final class DriverStorages extends Storages {
    DriverStorages() {
      super(Way.DRIVER);
    }
  }

  /// The contract of storages over memory pools.
  static final class StreamOrderedStorages extends Storages {
    StreamOrderedStorages() {
      super(Way.STREAM_ORDERED);
    }
  }

  /// The contract of storages over virtual memory.
  static final class VirtualStorages extends Storages {
    VirtualStorages() {
      super(Way.VIRTUAL);
    }
  }

  /// The contract of queues.
  static final class Queues extends QueueContract<CudaWindow> {
    @Override
    protected Storage<CudaWindow> open() {
      return CudaStorage.open(0);
    }
  }

  /// The contract of devices over `cuMemAlloc`.
  static final class Devices extends DeviceContract<CudaWindow> {
    @Override
    protected Storage<CudaWindow> open(long capacity) {
      return CudaStorage.open(0, CudaOptions.DEFAULT.limit(capacity));
    }
  }

  /// The contract of devices over virtual memory.
  static final class VirtualDevices extends DeviceContract<CudaWindow> {
    @Override
    protected Storage<CudaWindow> open(long capacity) {
      return CudaStorage.open(0, CudaOptions.DEFAULT.way(Way.VIRTUAL).limit(capacity));
    }
  }

  public static void main(String[] args) {
    Availability found = new CudaProvider().probe();
    System.out.println(found);
    if (!(found instanceof Availability.Available)) System.exit(1);
    contracts();
    check("a dry run larger than the card, and its plan", OnGpu::aMeasuredPlan);
    for (Way way : Way.values())
      check("a full card refuses and serves again, " + way, () -> exhaustion(way));
    check("virtual memory is taken when a page is mapped", OnGpu::lazyMapping);
    check("timings", OnGpu::timings);
    System.out.println(failures == 0 ? "all checks passed" : failures + " checks failed");
    System.exit(failures == 0 ? 0 : 1);
  }

  private static void contracts() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                selectClass(DriverStorages.class),
                selectClass(StreamOrderedStorages.class),
                selectClass(VirtualStorages.class),
                selectClass(Queues.class),
                selectClass(Devices.class),
                selectClass(VirtualDevices.class))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Launcher launcher = LauncherFactory.create();
    launcher.execute(request, listener);
    var summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(System.out, true), 10);
    System.out.printf(
        Locale.ROOT,
        "contracts: %d tests, %d passed, %d failed, %d skipped%n",
        summary.getTestsFoundCount(),
        summary.getTestsSucceededCount(),
        summary.getTestsFailedCount(),
        summary.getTestsAbortedCount());
    if (summary.getTestsFailedCount() > 0 || summary.getTestsSucceededCount() == 0) failures++;
  }

  private static void check(String name, Runnable check) {
    long start = System.nanoTime();
    try {
      check.run();
      System.out.printf(
          Locale.ROOT, "passed: %s (%d ms)%n", name, (System.nanoTime() - start) / 1_000_000);
    } catch (RuntimeException | AssertionError e) {
      failures++;
      System.out.println("FAILED: " + name);
      e.printStackTrace(System.out);
    }
  }

  private static void demand(boolean held, String what) {
    if (!held) throw new AssertionError(what);
  }

  private static Device<CudaWindow> device(CudaStorage storage, String layout) {
    return Device.open(
        storage,
        new DeviceProperties(1L << 40, storage.alignment()),
        DeviceOptions.DEFAULT.layout(Layout.parse(layout)));
  }

  /// A dry run of three times the card, then real work that fits the plan measured for it.
  private static void aMeasuredPlan() {
    CudaStorage storage = CudaStorage.open(0);
    long free = storage.freeMemory();
    long page = Math.max(2 * MIB, free / 64 / MIB * MIB);
    try (Device<CudaWindow> device = device(storage, "sliced:page=" + page)) {
      DeviceStream<CudaWindow> stream = device.stream();
      try (DryRun _ = DryRun.open()) {
        List<Buffer> held = new ArrayList<>();
        for (int i = 0; i < 192; i++) held.add(stream.allocate(page));
        held.forEach(Buffer::close);
      }
      demand(storage.bytesAllocated() == 0, "a dry run maps nothing");
      demand(stream.report().pools().getFirst().pagesPeak() == 192, "the dry run held 192 pages");
      System.out.printf(
          Locale.ROOT, "  the dry run held %d MiB of %d MiB free%n", 192 * page / MIB, free / MIB);
    }
    storage = CudaStorage.open(0);
    try (Device<CudaWindow> device = device(storage, "sliced:page=" + page)) {
      DeviceStream<CudaWindow> stream = device.stream();
      try (DryRun _ = DryRun.open()) {
        work(stream, page, false);
      }
      MemoryReport measured = stream.report();
      stream.install(measured.cappedLayout());
      work(stream, page, true);
      demand(
          stream.report().pools().getFirst().pagesPeak() == measured.pools().getFirst().pagesPeak(),
          "the real run held what the dry run did");
      System.out.println("  installed " + measured.cappedLayout());
    }
  }

  /// Half the card in thirds of pages; each third says who wrote it.
  private static void work(DeviceStream<CudaWindow> stream, long page, boolean real) {
    List<Buffer> held = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      held.add(stream.allocate(page / 3 / 256 * 256));
      stream.fill(held.getLast(), (byte) i).orThrow();
    }
    byte[] last = new byte[3];
    for (int i = 0; real && i < held.size(); i++) {
      long end = held.get(i).length() - last.length;
      stream.read(held.get(i), end, MemorySegment.ofArray(last));
      for (byte each : last) demand(each == (byte) i, "buffer " + i + " holds " + each);
    }
    held.forEach(Buffer::close);
  }

  private static void exhaustion(Way way) {
    try (CudaStorage storage = CudaStorage.open(0, CudaOptions.DEFAULT.way(way))) {
      long free = storage.freeMemory();
      long piece = Math.max(2 * MIB, free / 16 / MIB * MIB);
      for (int round = 0; round < 2; round++) {
        List<StorageId> ids = new ArrayList<>();
        try {
          while (ids.size() < 100) ids.add(storage.allocate(piece));
          throw new AssertionError("the card never got full");
        } catch (MemoryException e) {
          demand(e.failure().retryable(), "a full card is worth another try: " + e.getMessage());
        }
        demand(ids.size() >= 10, "most of the card could be had: " + ids.size() + " pieces");
        demand(storage.bytesAllocated() == ids.size() * piece, "the books balance");
        ids.forEach(storage::deallocate);
        storage.flush();
        System.out.printf(
            Locale.ROOT,
            "  %d pieces of %d MiB, then full; %d MiB free again%n",
            ids.size(),
            piece / MIB,
            storage.freeMemory() / MIB);
        demand(storage.freeMemory() >= free - free / 20, "the card is free again");
      }
    }
  }

  private static void lazyMapping() {
    CudaStorage storage = CudaStorage.open(0, CudaOptions.DEFAULT.way(Way.VIRTUAL));
    try (Device<CudaWindow> device = device(storage, "sliced:page=32MiB")) {
      DeviceStream<CudaWindow> stream = device.stream();
      long before = storage.freeMemory();
      List<Buffer> held = new ArrayList<>();
      try (DryRun _ = DryRun.open()) {
        for (int i = 0; i < 4; i++) held.add(stream.allocate(32 * MIB));
      }
      demand(storage.freeMemory() == before, "what a dry run reserved takes nothing");
      for (int i = 0; i < 4; i++) {
        stream.fill(held.get(i), (byte) i).orThrow();
        long taken = before - storage.freeMemory();
        System.out.printf(Locale.ROOT, "  %d pages used: %d MiB taken%n", i + 1, taken / MIB);
        demand(taken == (i + 1) * 32 * MIB, "a page takes its size");
      }
      held.forEach(Buffer::close);
      device.cleanUp();
      demand(storage.freeMemory() == before, "what is cleaned up is given back");
    }
  }

  private static void timings() {
    for (long size : new long[] {64 << 10, MIB, 64 * MIB}) {
      for (Way way : Way.values())
        try (CudaStorage storage = CudaStorage.open(0, CudaOptions.DEFAULT.way(way))) {
          CudaWindow first = storage.get(new Region(storage.allocate(256), 0, 256));
          System.out.printf(
              Locale.ROOT,
              "  %6d KiB, %-14s %9.2f us for an allocation and its release (kept at %x)%n",
              size >> 10,
              way,
              median(200, () -> storage.deallocate(storage.allocate(size))) / 1e3,
              first.address());
        }
      CudaStorage storage = CudaStorage.open(0);
      try (Device<CudaWindow> device = device(storage, "sliced:page=128MiB")) {
        DeviceStream<CudaWindow> stream = device.stream();
        System.out.printf(
            Locale.ROOT,
            "  %6d KiB, %-14s %9.2f us for a buffer and its close%n",
            size >> 10,
            "pooled",
            median(20_000, () -> stream.allocate(size).close()) / 1e3);
      }
    }
  }

  private static long median(int count, Runnable step) {
    long[] times = new long[count];
    for (int i = 0; i < count; i++) {
      long start = System.nanoTime();
      step.run();
      times[i] = System.nanoTime() - start;
    }
    Arrays.sort(times);
    return times[count / 2];
  }
}
