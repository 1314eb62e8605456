package dev.quarry.runtime;

import dev.quarry.failure.AllocationId;
import dev.quarry.failure.Claim;
import dev.quarry.failure.ErrorGraph;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.Skipped;
import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.failure.WorkFailure.Several;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The failures of one device, as they travel with its buffers. Belongs to the device's lock.
///
/// Buffers passed here are retained by the caller, so that a claim never lands on memory that was
/// given back.
final class Failures {
  final ErrorGraph graph = new ErrorGraph();

  /// The first of these buffers that carries a failure in its window; null when none does.
  @Nullable Buffer firstClaimed(Buffer[] buffers) {
    for (Buffer buffer : buffers) {
      if (of(buffer).isPresent()) return buffer;
    }
    return null;
  }

  /// The first of these buffers that never got memory; null when all did.
  @Nullable Buffer firstUnallocated(Buffer[] buffers) {
    for (Buffer buffer : buffers) {
      if (!buffer.isAllocated()) return buffer;
    }
    return null;
  }

  Optional<FailureId> of(Buffer buffer) {
    return buffer.allocation.slice == null
        ? graph.unallocatedFailure(buffer.id())
        : buffer.allocation.slice.failure(buffer.fromFront(), buffer.end());
  }

  /// What a reader of these buffers is told; empty when everything it reads was written.
  Optional<Several> reports(Buffer... buffers) {
    List<Claim> claims = new ArrayList<>();
    for (Buffer buffer : buffers) {
      if (!buffer.isAllocated()) claims.add(new Claim.Unallocated(buffer.id()));
      else of(buffer).ifPresent(id -> claims.add(new Claim.Failed(id, buffer.id())));
    }
    return claims.isEmpty() ? Optional.empty() : graph.reports(claims);
  }

  /// @throws WorkException with what a reader is told, when a buffer was not written
  void ensureWritten(Buffer[] buffers) {
    if (firstClaimed(buffers) == null && firstUnallocated(buffers) == null) return;
    reports(buffers)
        .ifPresent(
            several -> {
              throw new WorkException(several);
            });
  }

  void taint(WorkFailure error, Buffer[] writes) {
    FailureId failure = graph.insert(error);
    taint(failure, writes);
    graph.prune(failure);
  }

  private void taint(FailureId failure, Buffer[] writes) {
    for (Buffer buffer : writes) {
      if (buffer.allocation.slice != null)
        buffer.allocation.slice.taint(buffer.fromFront(), buffer.end(), failure, graph);
    }
  }

  void written(Buffer[] writes) {
    for (Buffer buffer : writes) {
      if (buffer.allocation.slice != null)
        buffer.allocation.slice.written(buffer.fromFront(), buffer.end(), graph);
    }
  }

  /// Gives the outputs of skipped work the failure of the buffer that it needs.
  FailureId propagate(String kernel, Buffer needed, Buffer[] writes) {
    FailureId failure =
        of(needed).orElseThrow(() -> new AssertionError(needed + " carries no failure"));
    List<AllocationId> produced = Arrays.stream(writes).map(Buffer::id).toList();
    graph.skipped(failure, new Skipped(kernel, needed.id(), produced));
    taint(failure, writes);
    return failure;
  }
}
