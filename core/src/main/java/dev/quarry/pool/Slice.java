package dev.quarry.pool;

import dev.quarry.failure.ErrorGraph;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.Taint;
import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One allocation: where it lies, how large it is, and who owns it. Made for a reservation together
/// with its handle, and never used again.
///
/// **Counts.** One atomic long counts the *owners*, handles and bindings together, in its lower
/// half, and the *handles* among them above that; its highest bit says whether the first handle,
/// whose [Hold] the slice itself is, is still open. Any thread may change them. Owners only join
/// while there is one, so a slice without owners stays so, and whoever takes the last one away
/// pushes the slice on the [HandBack] stack, exactly once; the pool sees it at its next operation.
/// Taking an owner away has release semantics and looking for none has acquire semantics, so what
/// the last owner did to the bytes is ordered before what the next owner does. Everything else in a
/// slice belongs to the thread that owns the memory.
///
/// **Size.** With its handle a slice takes 96 bytes, which is the budget of a reservation; what few
/// allocations need is kept aside in [Extras].
public final class Slice extends Hold implements Placed {
  /// What a binding adds to the counts: an owner.
  static final long BINDING = 1;

  /// What a handle adds to the counts: a handle, which is an owner too.
  static final long HANDLE = (1L << 32) + 1;

  /// That the first handle is open.
  private static final long FIRST_OPEN = Long.MIN_VALUE;

  private static final long MANY = 1 << 30;

  private static final VarHandle COUNTS;

  static {
    try {
      COUNTS = MethodHandles.lookup().findVarHandle(Slice.class, "counts", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through COUNTS
  private volatile long counts;

  private final long id;
  private final long offset;
  private final long size;
  final Page page;

  /// The next slice on the hand-back stack.
  @Nullable Slice next;

  /// Where the pool keeps it reachable while it is live.
  int place;

  private @Nullable Extras extras;

  /// What few allocations have.
  private static final class Extras {
    long cursor;
    @Nullable String label;
    @Nullable Taint taint;
    @Nullable Throwable reservedAt;
  }

  Slice(Object handle, long id, Page page, long offset, long size) {
    super(handle, page.pool.handBack);
    this.id = id;
    this.page = page;
    this.offset = offset;
    this.size = size;
    COUNTS.set(this, FIRST_OPEN | HANDLE);
  }

  // For any thread.

  HandBack handBack() {
    return page.pool.handBack;
  }

  @Override
  public Slice slice() {
    return this;
  }

  @Override
  public boolean giveUp() {
    while (true) {
      long seen = counts;
      if ((seen & FIRST_OPEN) == 0) return false;
      long left = (seen & ~FIRST_OPEN) - HANDLE;
      if (!COUNTS.compareAndSet(this, seen, left)) continue;
      if (left == 0) handBack().push(this);
      return true;
    }
  }

  @Override
  public boolean isOpen() {
    return (counts & FIRST_OPEN) != 0;
  }

  /// Adds an owner, unless there is none left.
  boolean acquire(long what) {
    while (true) {
      long seen = counts;
      if ((int) seen == 0) return false;
      if ((int) seen >= MANY)
        throw new IllegalStateException(
            allocation() + " has " + MANY + " owners: no more can be counted");
      if (COUNTS.compareAndSet(this, seen, seen + what)) return true;
    }
  }

  /// Counts a binding that no object stands for, unless there is no owner left. Whoever got `true`
  /// calls [#unretain] exactly once.
  public boolean retain() {
    return acquire(BINDING);
  }

  /// Takes the binding of [#retain] away.
  public void unretain() {
    release(BINDING);
  }

  /// Takes an owner other than the first handle away.
  void release(long what) {
    long left = (long) COUNTS.getAndAdd(this, -what) - what;
    if (left == 0) handBack().push(this);
  }

  /// Whether there is one handle at most.
  boolean hasOneHandle() {
    return (counts & ~FIRST_OPEN) >>> 32 <= 1;
  }

  boolean hasNoOwner() {
    return (int) counts == 0;
  }

  // For the thread that owns the memory.

  /// Gives a slice without owners a handle again, for a pin.
  void revive() {
    COUNTS.setRelease(this, HANDLE);
  }

  public long offset() {
    return offset;
  }

  public int poolPosition() {
    return page.pool.position;
  }

  public int pageIndex() {
    return page.pool.numberOf(page);
  }

  public long cursor() {
    return extras == null ? 0 : extras.cursor;
  }

  public void cursor(long value) {
    if (value != cursor()) extras().cursor = value;
  }

  public void reservedAt(Throwable site) {
    extras().reservedAt = site;
  }

  /// The stack of the reservation, where one was kept.
  public Optional<Throwable> reservedAt() {
    return extras == null ? Optional.empty() : Optional.ofNullable(extras.reservedAt);
  }

  /// What the program calls the allocation.
  public Optional<String> label() {
    return extras == null ? Optional.empty() : Optional.ofNullable(extras.label);
  }

  public void label(String label) {
    extras().label = label;
  }

  private Extras extras() {
    if (extras == null) extras = new Extras();
    return extras;
  }

  /// Where the bytes are. Maps the page first if it is not mapped.
  ///
  /// @throws dev.quarry.failure.MemoryException when the storage refuses to map it
  public Region locate() {
    StorageId storage = page.storage;
    if (storage == null) storage = page.pool.map(page);
    return new Region(storage, offset, size);
  }

  public Optional<FailureId> failure(long from, long to) {
    return extras == null || extras.taint == null
        ? Optional.empty()
        : extras.taint.failure(from, to);
  }

  public void taint(long from, long to, FailureId failure, ErrorGraph graph) {
    Extras own = extras();
    if (own.taint == null) own.taint = new Taint();
    own.taint.taint(from, to, failure, graph);
  }

  public void written(long from, long to, ErrorGraph graph) {
    if (extras != null && extras.taint != null) extras.taint.written(from, to, graph);
  }

  /// Ends every claim on the slice.
  void shed(ErrorGraph graph) {
    if (extras != null && extras.taint != null) extras.taint.clear(graph);
  }

  long id() {
    return id;
  }

  long bytes() {
    return size;
  }
}
