package dev.quarry.pool;

import dev.quarry.failure.AllocationId;
import dev.quarry.failure.ErrorGraph;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.Taint;
import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A place for one allocation: where it lies, how large it is, and who owns it.
///
/// Slices are used again: when the last owner is gone the slice comes back to its pool, and the
/// next reservation gives it a new identity. A holder keeps the identity it was made with, so it
/// can tell that its slice serves somebody else by now.
///
/// **Counts.** One atomic long counts the *handles* in its upper half and the *owners*, handles and
/// bindings together, in its lower half. Any thread may change them. Whoever takes the last owner
/// away pushes the slice on the [HandBack] stack, exactly once per allocation; the pool sees it at
/// its next operation. Taking an owner away has release semantics and looking for none has acquire
/// semantics, so what the last owner did to the bytes is ordered before what the next owner does.
/// Everything else in a slice belongs to the thread that owns the memory.
public final class Slice implements Placed {
  /// What a handle adds to the counts: a handle, which is an owner too.
  static final long HANDLE = (1L << 32) + 1;

  /// What a binding adds to the counts: an owner.
  static final long BINDING = 1;

  private static final VarHandle COUNTS;
  private static final VarHandle ID;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      COUNTS = lookup.findVarHandle(Slice.class, "counts", long.class);
      ID = lookup.findVarHandle(Slice.class, "id", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final HandBack handBack;

  @SuppressWarnings("unused") // through COUNTS
  private volatile long counts;

  /// The allocation that has the slice now, or had it last. Written before the counts leave zero,
  /// so whoever sees its counts sees it.
  @SuppressWarnings("unused") // through ID
  private long id;

  Page page;
  private long offset;
  private long size;
  private long cursor;
  private @Nullable Taint taint;

  /// Keeps the tracker of the first handle reachable; see [Hold].
  @Nullable Hold first;

  /// The next slice on the hand-back stack, or in the pool's stack of spare slices.
  @Nullable Slice next;

  Slice(HandBack handBack, Page page) {
    this.handBack = handBack;
    this.page = page;
  }

  /// Becomes a new allocation with one handle.
  void begin(long newId, Page onPage, long atOffset, long requested) {
    page = onPage;
    offset = atOffset;
    size = requested;
    cursor = 0;
    ID.setOpaque(this, newId);
    COUNTS.setRelease(this, HANDLE);
  }

  // For any thread.

  /// Adds an owner for somebody who owns allocation `of` already.
  ///
  /// @return false when that allocation has no owner left
  boolean acquire(long of, long what) {
    while (true) {
      long seen = counts;
      if ((int) seen == 0 || id() != of) return false;
      if (!COUNTS.compareAndSet(this, seen, seen + what)) continue;
      if (id() == of) return true;
      // Between the two looks the allocation ended and another began with the same counts: leave
      // that one alone.
      release(what);
      return false;
    }
  }

  /// Takes an owner away.
  void release(long what) {
    long before = (long) COUNTS.getAndAdd(this, -what);
    if ((int) before == 1) handBack.push(this);
  }

  boolean canMut(long of) {
    long seen = counts;
    return id() == of && (int) (seen >>> 32) <= 1;
  }

  /// Whether allocation `of` has no owner left.
  boolean isFree(long of) {
    return id() != of || (int) counts == 0 || id() != of;
  }

  // For the thread that owns the memory.

  /// Gives a slice that ended its allocation a handle again, under the same identity.
  void revive() {
    COUNTS.setRelease(this, HANDLE);
  }

  public AllocationId allocation() {
    return new AllocationId(id());
  }

  long id() {
    return (long) ID.getOpaque(this);
  }

  /// The bytes asked for.
  public long size() {
    return size;
  }

  /// Where it starts in its page.
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
    return cursor;
  }

  public void cursor(long value) {
    cursor = value;
  }

  /// The stack of the reservation, where one was kept.
  public Optional<Throwable> reservedAt() {
    return first == null ? Optional.empty() : first.reservedAt();
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
    return taint == null ? Optional.empty() : taint.failure(from, to);
  }

  public void taint(long from, long to, FailureId failure, ErrorGraph graph) {
    if (taint == null) taint = new Taint();
    taint.taint(from, to, failure, graph);
  }

  public void written(long from, long to, ErrorGraph graph) {
    if (taint != null) taint.written(from, to, graph);
  }

  /// Ends every claim on the slice.
  void shed(ErrorGraph graph) {
    if (taint == null) return;
    taint.clear(graph);
    taint = null;
  }
}
