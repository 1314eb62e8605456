package dev.quarry;

import dev.quarry.failure.ErrorGraph;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.Holder;
import dev.quarry.failure.InstallException;
import dev.quarry.failure.InstallRefusal;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.NotFound;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.ResolvedLayout;
import dev.quarry.pool.Placed;
import dev.quarry.pool.Pools;
import dev.quarry.pool.Slice;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryEvent.CleanupRequested;
import dev.quarry.report.MemoryEvent.InstallRefused;
import dev.quarry.report.MemoryEvent.Installed;
import dev.quarry.report.MemoryEvent.Leaked;
import dev.quarry.report.MemoryEvent.ModeChanged;
import dev.quarry.report.MemoryEvent.Refused;
import dev.quarry.report.MemoryEvent.Reserved;
import dev.quarry.report.MemoryListener;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.MemoryUsage;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The memory of one stream of a device: pools laid out for a workload, over a storage it owns.
///
/// The loop it exists for: lay out pools, run the work in a [DryRun], read the [report][#report],
/// install the layout that was measured, run the work. The same work then fits by construction,
/// because placement depends on nothing but the requests and releases before it.
///
/// ```java
/// try (DeviceMemory<MemorySegment> memory = DeviceMemory.onHost()) {
///   try (DryRun _ = DryRun.open()) {
///     work(memory);
///   }
///   memory.install(memory.report().cappedLayout());
///   work(memory);
/// }
/// ```
///
/// Threads: one thread at a time may call a memory. Handles and bindings may be closed from any
/// thread at any time; a close that happened before an operation is seen by it.
///
/// Errors: a refusal is a [MemoryException] whose [failure][MemoryException#failure] says what to
/// do about it; never an [OutOfMemoryError]. Misuse is an [IllegalArgumentException] or
/// [IllegalStateException].
///
/// @param <R> the storage's resource type: what a program gets to see of an allocation
public final class DeviceMemory<R> implements AutoCloseable {
  /// What [#onHost()] plans with: pages of up to 1 GiB, slices aligned to a cache line.
  public static final DeviceProperties HOST = new DeviceProperties(1L << 30, 64);

  private static final int LEAK_SAMPLE = 128;

  private final String name;
  private final Storage<R> storage;
  private final DeviceProperties properties;
  private final ErrorGraph graph;
  private final MemoryOptions options;
  private final AllocationMode baseMode;
  private final @Nullable MemoryListener listener;
  private final MemoryLogger logger;
  private final Pools pools;
  private int windows;
  private int unsampled;
  private boolean closed;

  private DeviceMemory(Builder<R> builder) {
    ResolvedLayout layout =
        builder
            .layout
            .orElseGet(() -> Layout.defaultFor(builder.properties))
            .resolve(builder.properties);
    name = builder.name;
    storage = builder.storage;
    properties = builder.properties;
    graph = builder.graph;
    options = builder.options;
    baseMode =
        builder.mode.orElse(
            options.persistentMemory() == PersistentMemory.ENFORCED
                ? AllocationMode.PERSISTENT
                : AllocationMode.AUTO);
    logger = new MemoryLogger(builder.logger, name, options.log(), this::report);
    listener = logger.listeningAfter(builder.listener);
    boolean sizeMatch = options.persistentMemory() == PersistentMemory.SIZE_MATCH;
    pools = new Pools(storage, layout, sizeMatch, graph, listener, new Watch());
    tell(new Installed(layout));
  }

  /// Host memory with the default layout.
  public static DeviceMemory<MemorySegment> onHost() {
    return on(new BytesStorage(), HOST).open();
  }

  /// Host memory with this layout.
  ///
  /// @throws dev.quarry.layout.LayoutException when the layout does not resolve for [#HOST]
  public static DeviceMemory<MemorySegment> onHost(Layout layout) {
    return on(new BytesStorage(), HOST).layout(layout).open();
  }

  /// A memory over a storage, which it owns from [Builder#open] on.
  public static <R> Builder<R> on(Storage<R> storage, DeviceProperties properties) {
    return new Builder<>(storage, properties);
  }

  /// What a memory is opened with. Everything has a default.
  ///
  /// @param <R> the storage's resource type
  public static final class Builder<R> {
    private final Storage<R> storage;
    private final DeviceProperties properties;
    private String name = "memory";
    private Optional<Layout> layout = Optional.empty();
    private Optional<AllocationMode> mode = Optional.empty();
    private MemoryOptions options = MemoryOptions.DEFAULT;
    private ErrorGraph graph = new ErrorGraph();
    private System.Logger logger = System.getLogger("quarry.memory");
    private @Nullable MemoryListener listener;

    private Builder(Storage<R> storage, DeviceProperties properties) {
      this.storage = storage;
      this.properties = properties;
    }

    /// The name in reports and logs; "memory" by default.
    public Builder<R> name(String name) {
      this.name = name;
      return this;
    }

    /// The layout; [Layout#defaultFor] the device by default.
    public Builder<R> layout(Layout layout) {
      this.layout = Optional.of(layout);
      return this;
    }

    /// Where reservations go outside of windows; what the options say by default.
    public Builder<R> mode(AllocationMode mode) {
      this.mode = Optional.of(mode);
      return this;
    }

    /// What an operator configured; [MemoryOptions#DEFAULT] by default.
    public Builder<R> options(MemoryOptions options) {
      this.options = options;
      return this;
    }

    /// The failures of the device this memory belongs to; a graph of its own by default.
    public Builder<R> errors(ErrorGraph graph) {
      this.graph = graph;
      return this;
    }

    /// Who hears what happens; nobody by default.
    public Builder<R> listener(MemoryListener listener) {
      this.listener = listener;
      return this;
    }

    /// Where the memory's log goes, warnings included; the logger named `quarry.memory` by default.
    public Builder<R> logger(System.Logger logger) {
      this.logger = logger;
      return this;
    }

    /// Opens the memory.
    ///
    /// @throws dev.quarry.layout.LayoutException when the layout does not resolve; the storage is
    ///   untouched
    public DeviceMemory<R> open() {
      return new DeviceMemory<>(this);
    }
  }

  // Reserving.

  /// Reserves memory, mapped now or, in a [DryRun], when it is located.
  ///
  /// @param size in bytes, 0 or more
  /// @throws MemoryException when there is none
  public Handle reserve(long size) {
    return reserve(size, DryRun.mapping());
  }

  /// Reserves memory with a mapping sampled by the thread that issued the request.
  ///
  /// @param size in bytes, 0 or more
  /// @throws MemoryException when there is none
  public Handle reserve(long size, Mapping mapping) {
    return switch (tryReserve(size, mapping)) {
      case Handle handle -> handle;
      case Reservation.Refused(var failure) -> throw new MemoryException(failure);
    };
  }

  /// Reserves memory, with a refusal as a value. Costs no exception, and allocates nothing but the
  /// handle when pages held already have room.
  ///
  /// @param size in bytes, 0 or more
  public Reservation tryReserve(long size, Mapping mapping) {
    return tryReserve(size, mapping, null);
  }

  /// Reserves memory as [#tryReserve(long, Mapping)] does, and gives it a label: what the program
  /// calls it, by which [#holders] counts. `null` is no label.
  ///
  /// @param size in bytes, 0 or more
  public Reservation tryReserve(long size, Mapping mapping, @Nullable String label) {
    checkOpen();
    if (size < 0) throw new IllegalArgumentException("size (" + size + ") is negative");
    Handle handle = new Handle();
    return switch (pools.reserve(handle, size, mapping, mode() == AllocationMode.PERSISTENT)) {
      case Slice slice -> reserved(handle, slice, label);
      case Placed.Refused(var failure) -> {
        tell(new Refused(size, failure));
        yield new Reservation.Refused(failure);
      }
    };
  }

  private Handle reserved(Handle handle, Slice slice, @Nullable String label) {
    handle.hold = slice;
    // As a constructor does for final fields: whoever sees the handle sees its hold.
    VarHandle.storeStoreFence();
    if (label != null) slice.label(label);
    if (options.leakTracking() != LeakTracking.OFF) sampleStack(slice);
    if (listener != null) {
      tell(
          new Reserved(
              handle.id(),
              slice.size(),
              slice.poolPosition(),
              slice.pageIndex(),
              slice.offset(),
              slice.label()));
    }
    return handle;
  }

  private void sampleStack(Slice slice) {
    if (options.leakTracking() == LeakTracking.SAMPLED && ++unsampled % LEAK_SAMPLE != 0) return;
    slice.reservedAt(new Throwable("reserved here"));
  }

  // Finding the bytes of an allocation.

  /// Where an allocation's bytes are. Maps them first if they are not mapped.
  ///
  /// @throws MemoryException with [NotFound] when the owner leads to no live memory of this memory,
  ///   or with [dev.quarry.failure.MemoryFailure.MappingFailed] when the storage refuses; a later
  ///   call may try again
  public Region locate(Owner owner) {
    return find(owner).locate();
  }

  /// An allocation's bytes as the storage's resource.
  ///
  /// @throws MemoryException as [#locate] does
  public R resource(Owner owner) {
    return storage.get(locate(owner));
  }

  /// An allocation's bytes without the first `fromFront` and the last `fromBack`.
  ///
  /// @throws IndexOutOfBoundsException when the allocation is smaller than that; nothing is mapped
  /// @throws MemoryException as [#locate] does
  public R resource(Owner owner, long fromFront, long fromBack) {
    Slice slice = find(owner);
    Region.checkTrim(slice.size(), fromFront, fromBack);
    return storage.get(slice.locate().trim(fromFront, fromBack));
  }

  /// Where an allocation lies at this moment. Maps nothing.
  ///
  /// @throws MemoryException with [NotFound] when the owner leads to no live memory of this memory
  public Placement placement(Owner owner) {
    Slice slice = find(owner);
    return new Placement(slice.poolPosition(), slice.pageIndex(), slice.offset());
  }

  /// The progress of the stream that an allocation was last marked with; 0 at first.
  ///
  /// @throws MemoryException with [NotFound] when the owner leads to no live memory of this memory
  public long cursor(Owner owner) {
    return find(owner).cursor();
  }

  /// Marks an allocation with the progress of the stream that uses it.
  ///
  /// @throws MemoryException with [NotFound] when the owner leads to no live memory of this memory
  public void cursor(Owner owner, long progress) {
    find(owner).cursor(progress);
  }

  private Slice find(Owner owner) {
    Slice slice = closed ? null : owner.hold.sliceIn(pools);
    if (slice == null) throw new MemoryException(new NotFound(whyStale(owner)));
    return slice;
  }

  private String whyStale(Owner owner) {
    if (closed) return "the memory '" + name + "' is closed";
    return owner.isClosed()
        ? owner + " was closed before"
        : owner + " belongs to another memory than '" + name + "'";
  }

  private @Nullable Slice findOrNull(Owner owner) {
    return closed ? null : owner.hold.sliceIn(pools);
  }

  // Failures that travel with the data. None of these maps anything.

  /// The failure that claims bytes `from` (inclusive) to `to` (exclusive) of an allocation; empty
  /// when none does, or when the owner leads to no live memory.
  public Optional<FailureId> failure(Owner owner, long from, long to) {
    Slice slice = findOrNull(owner);
    return slice == null ? Optional.empty() : slice.failure(from, to);
  }

  /// Claims bytes of an allocation for a failure of this memory's graph. Does nothing when the
  /// owner leads to no live memory.
  public void taint(Owner owner, long from, long to, FailureId failure) {
    Slice slice = findOrNull(owner);
    if (slice != null) slice.taint(from, to, failure, graph);
  }

  /// Ends every claim on bytes that were written. Does nothing when the owner leads to no live
  /// memory.
  public void written(Owner owner, long from, long to) {
    Slice slice = findOrNull(owner);
    if (slice != null) slice.written(from, to, graph);
  }

  // Layouts and cleanup.

  /// Gives every free page back to the device, whatever its pool would keep. Marks stay. Does
  /// nothing during a capture.
  public void cleanUp() {
    checkOpen();
    tell(new CleanupRequested());
    pools.cleanUp();
  }

  /// Installs a layout: the pools are replaced, their marks start anew. The persistent pool stays.
  ///
  /// @throws dev.quarry.layout.LayoutException when it does not resolve for this device
  /// @throws InstallException when allocations live in the pools, or a capture is active
  public void install(Layout layout) {
    tryInstall(layout.resolve(properties))
        .ifPresent(
            refusal -> {
              throw new InstallException(refusal);
            });
  }

  /// Installs a resolved layout, with a refusal as a value. When refused, everything is as before,
  /// apart from free pages given back.
  ///
  /// @throws IllegalArgumentException when the layout was resolved for other properties
  public Optional<InstallRefusal> tryInstall(ResolvedLayout layout) {
    checkOpen();
    if (!layout.properties().equals(properties)) {
      throw new IllegalArgumentException(
          "the layout is resolved for "
              + layout.properties()
              + ", and this memory has "
              + properties);
    }
    Optional<InstallRefusal> refusal = pools.install(layout);
    tell(refusal.<MemoryEvent>map(InstallRefused::new).orElseGet(() -> new Installed(layout)));
    return refusal;
  }

  // Windows and captures.

  /// Opens a window: until it is closed, reservations go to the persistent pool. Ignored when the
  /// options disable or enforce persistent memory.
  public PersistentWindow persistent() {
    checkOpen();
    windows++;
    tell(new ModeChanged(mode() == AllocationMode.PERSISTENT));
    return new PersistentWindow(this);
  }

  void closeWindow() {
    windows--;
    tell(new ModeChanged(mode() == AllocationMode.PERSISTENT));
  }

  /// Where reservations go at this moment.
  public AllocationMode mode() {
    if (pools.isCapturing() || (windows > 0 && honoursWindows())) return AllocationMode.PERSISTENT;
    return baseMode;
  }

  private boolean honoursWindows() {
    return switch (options.persistentMemory()) {
      case ENABLED, SIZE_MATCH -> true;
      case DISABLED, ENFORCED -> false;
    };
  }

  /// Begins a capture, or joins the one that is active.
  public GraphCapture capture() {
    checkOpen();
    pools.beginCapture();
    tell(new ModeChanged(true));
    return new GraphCapture(this);
  }

  void endPriming() {
    pools.endPriming();
  }

  List<Handle> endCapture() {
    if (closed || !pools.isCapturing()) return List.of();
    List<Handle> pins = pools.endCapture().stream().map(Handle::pin).toList();
    tell(new ModeChanged(mode() == AllocationMode.PERSISTENT));
    return pins;
  }

  // Reporting.

  /// The sums over all pools.
  public MemoryUsage usage() {
    checkOpen();
    return pools.usage();
  }

  /// Every pool with its marks.
  public MemoryReport report() {
    checkOpen();
    return pools.report(name);
  }

  /// Who holds memory: the live allocations by label, those with the most bytes first. Looks at
  /// every live allocation, so it is for people, not for every step.
  public List<Holder> holders() {
    checkOpen();
    return pools.holders();
  }

  /// The name in reports and logs.
  public String name() {
    return name;
  }

  /// What layouts are resolved for here.
  public DeviceProperties properties() {
    return properties;
  }

  /// The failures of the device this memory belongs to.
  public ErrorGraph errors() {
    return graph;
  }

  /// The storage, to look at and to flush.
  public Storage<R> storage() {
    return storage;
  }

  /// Releases every device allocation and closes the storage. Owners that are still open lead
  /// nowhere from now on; closing them is harmless. With leak tracking on they are warned about.
  /// Closing again does nothing.
  @Override
  public void close() {
    if (closed) return;
    MemoryUsage left = pools.usage();
    if (left.allocations() > 0 && options.leakTracking() != LeakTracking.OFF)
      logger.warnLiveAtClose(left);
    closed = true;
    storage.close();
  }

  private void checkOpen() {
    if (closed) throw new IllegalStateException("the memory '" + name + "' is closed");
  }

  private void tell(MemoryEvent event) {
    if (listener != null) listener.on(event);
  }

  @Override
  public String toString() {
    return "memory '" + name + "'";
  }

  private final class Watch implements Pools.Watch {
    @Override
    public void firstSpill(int pool, long size) {
      logger.warnSpill(pool, size);
    }

    @Override
    public void leaked(Slice slice) {
      tell(new Leaked(slice.allocation(), slice.size(), slice.reservedAt()));
      if (options.leakTracking() != LeakTracking.OFF)
        logger.warnLeak(slice.allocation(), slice.size(), slice.reservedAt());
    }
  }
}
