package dev.quarry.failure;

import dev.quarry.failure.WorkFailure.Memory;
import dev.quarry.failure.WorkFailure.Several;
import dev.quarry.failure.WorkFailure.Unwritten;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The failures of one device, each kept for exactly as long as some bytes are claimed by it.
///
/// Assumptions
/// - One graph serves all memories of a device, because work failing on one stream may claim memory
///   of another. It also gives those memories their allocation identities.
/// - It is not thread-safe: whoever owns the memories owns the graph, under the same lock.
///
/// Guarantees
/// - A failure is present if and only if some allocation carries a tag on it, except between
///   [#insert] and the [#tag] or [#prune] that follows.
/// - It keeps no memory reserved: records hold identities, and buffers that never got memory are
///   held weakly.
public final class ErrorGraph {
  /// The most skip records kept for one failure.
  public static final int SKIPS_KEPT = 16;

  private static final int ID_BLOCK_BITS = 32;

  private final Map<Long, Node> nodes = new HashMap<>();
  private final Map<AllocationId, Unallocated> unallocated = new HashMap<>();
  private final ReferenceQueue<Object> lostBuffers = new ReferenceQueue<>();
  private long lastFailure;
  private long lastIdBlock;

  /// An empty graph.
  public ErrorGraph() {}

  private static final class Node {
    WorkFailure error;
    int tags;
    long skips;
    final ArrayDeque<Skipped> records = new ArrayDeque<>();

    Node(WorkFailure error) {
      this.error = error;
    }
  }

  private static final class Unallocated extends WeakReference<Object> {
    final AllocationId id;
    final FailureId failure;

    Unallocated(Object buffer, AllocationId id, FailureId failure, ReferenceQueue<Object> lost) {
      super(buffer, lost);
      this.id = id;
      this.failure = failure;
    }
  }

  /// Adds a failure that nothing carries yet.
  public FailureId insert(WorkFailure error) {
    FailureId id = new FailureId(++lastFailure);
    nodes.put(id.value(), new Node(error));
    return id;
  }

  /// Notes one more allocation that carries the failure.
  ///
  /// @throws IllegalStateException when the failure is not present
  public void tag(FailureId id) {
    present(id).tags++;
  }

  /// Notes one allocation less that carries the failure, and forgets the failure with its last.
  /// `null` does nothing.
  ///
  /// @throws IllegalStateException when the failure is not present
  public void untag(@Nullable FailureId id) {
    if (id == null) return;
    Node node = present(id);
    assert node.tags > 0 : id + " has no tag left to release";
    node.tags = Math.max(0, node.tags - 1);
    prune(id);
  }

  /// Forgets the failure if nothing carries it.
  public void prune(FailureId id) {
    Node node = nodes.get(id.value());
    if (node != null && node.tags == 0) nodes.remove(id.value());
  }

  /// Swaps the error of a failure that is present; its tags and records stay.
  public void replace(FailureId id, WorkFailure error) {
    Node node = nodes.get(id.value());
    if (node != null) node.error = error;
  }

  /// Records work that was skipped for a failure that is present. The oldest record beyond
  /// [#SKIPS_KEPT] goes.
  public void skipped(FailureId id, Skipped record) {
    Node node = nodes.get(id.value());
    if (node == null) return;
    node.skips++;
    if (node.records.size() == SKIPS_KEPT) node.records.removeFirst();
    node.records.addLast(record);
  }

  /// The error of a failure, while it is present.
  public Optional<WorkFailure> error(FailureId id) {
    return Optional.ofNullable(nodes.get(id.value())).map(node -> node.error);
  }

  /// The number of failures present.
  public int size() {
    return nodes.size();
  }

  /// Whether no failure is present.
  public boolean isEmpty() {
    return nodes.isEmpty();
  }

  /// What a reader of `asked` is told: the root, and the skipped work that leads from it to
  /// `asked`. Empty when the failure is not present.
  public Optional<Unwritten> report(FailureId id, AllocationId asked) {
    Node node = nodes.get(id.value());
    if (node == null) return Optional.empty();
    return Optional.of(new Unwritten(id, node.tags, chain(node, asked), node.error, asked));
  }

  /// Walks from the memory asked about towards the root: each hop is the newest record, older than
  /// the last hop, that was to produce what is missing.
  private static List<String> chain(Node node, AllocationId asked) {
    List<Skipped> records = List.copyOf(node.records);
    List<String> chain = new ArrayList<>();
    AllocationId target = asked;
    for (int i = records.size() - 1; i >= 0; i--) {
      Skipped record = records.get(i);
      if (!record.produced().contains(target)) continue;
      chain.add(record.kernel() + " was skipped: it needs " + record.needed());
      target = record.needed();
    }
    long dropped = node.skips - records.size();
    if (!chain.isEmpty() && dropped > 0) chain.add(dropped + " older skips were dropped");
    return chain;
  }

  /// The failures behind these claims, each named once, in the order found; empty when there is
  /// none.
  public Optional<Several> reports(Iterable<Claim> claims) {
    List<WorkFailure> found = new ArrayList<>();
    Set<FailureId> seen = new HashSet<>();
    for (Claim claim : claims) {
      FailureId failure =
          switch (claim) {
            case Claim.Failed(FailureId id, _) -> id;
            case Claim.Unallocated(AllocationId id) -> unallocatedFailure(id).orElse(null);
          };
      if (failure == null) {
        found.add(
            new Memory(
                new MemoryFailure.NotFound(
                    "the reservation of " + claim.allocation() + " failed")));
      } else if (seen.add(failure)) {
        report(failure, claim.allocation()).ifPresent(found::add);
      }
    }
    return found.isEmpty() ? Optional.empty() : Optional.of(new Several(found));
  }

  /// Records that `buffer` never got memory. Its failure stays present until the record is
  /// [forgotten][#forgetUnallocated], or the buffer fails anew or is unreachable; the buffer is
  /// held weakly.
  public FailureId failUnallocated(Object buffer, AllocationId id, WorkFailure error) {
    releaseLostBuffers();
    FailureId failure = insert(error);
    tag(failure);
    Unallocated older = unallocated.put(id, new Unallocated(buffer, id, failure, lostBuffers));
    if (older != null) untag(older.failure);
    return failure;
  }

  /// The failure recorded for an allocation that never got memory.
  public Optional<FailureId> unallocatedFailure(AllocationId id) {
    return Optional.ofNullable(unallocated.get(id)).map(record -> record.failure);
  }

  /// Forgets that an allocation never got memory, since nobody can ask about it any more.
  public void forgetUnallocated(AllocationId id) {
    Unallocated record = unallocated.remove(id);
    if (record != null) untag(record.failure);
  }

  /// Forgets the records of buffers that became unreachable.
  public void releaseLostBuffers() {
    for (Object lost = lostBuffers.poll(); lost != null; lost = lostBuffers.poll()) {
      Unallocated record = (Unallocated) lost;
      if (unallocated.remove(record.id, record)) untag(record.failure);
    }
  }

  /// The first of a block of 2^32 allocation identities that no other caller gets. For memories;
  /// programs have no use for it.
  public long nextIdBlock() {
    return lastIdBlock++ << ID_BLOCK_BITS;
  }

  private Node present(FailureId id) {
    Node node = nodes.get(id.value());
    if (node == null) throw new IllegalStateException("failure " + id + " is not present");
    return node;
  }
}
