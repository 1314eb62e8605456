package dev.quarry.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// How memory comes back from any thread to the one that owns it: a lock-free stack of slices whose
/// last owner is gone (R. K. Treiber, *Systems Programming: Coping with Parallelism*, 1986), and a
/// queue of owners that became unreachable without being closed.
///
/// Pushing is one compare-and-set; draining is one exchange, and one read when there is nothing to
/// drain. A slice is pushed at most once between two drains, so the stack has no ABA problem:
/// nothing is ever popped singly.
final class HandBack {
  private static final VarHandle HEAD;

  static {
    try {
      HEAD = MethodHandles.lookup().findVarHandle(HandBack.class, "head", Slice.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Slice head;

  /// Owners found unreachable by the garbage collector.
  final ReferenceQueue<Object> lost = new ReferenceQueue<>();

  /// Keeps the holds of duplicates, bindings and pins reachable while they are open. Those of first
  /// handles, of which there are many more, are slices, and kept by their pools.
  final Set<Hold> further = ConcurrentHashMap.newKeySet();

  void push(Slice slice) {
    Slice seen;
    do {
      seen = head;
      slice.next = seen;
    } while (!HEAD.compareAndSet(this, seen, slice));
  }

  /// The slices pushed since the last call, linked by `next`, the latest first.
  @Nullable Slice takeAll() {
    return head == null ? null : (Slice) HEAD.getAndSet(this, null);
  }
}
