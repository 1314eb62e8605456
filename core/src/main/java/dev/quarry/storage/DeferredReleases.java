package dev.quarry.storage;

import dev.quarry.failure.WorkException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Memory that was given back and that commands on their way may still use: each piece is released
/// when the fences of its time are passed. For storages over drivers that do not wait by
/// themselves.
///
/// Belongs to the storage's thread, as the storage does. A fence that reports an error counts as
/// passed: work that failed uses nothing any more.
///
/// @param <M> what stands for a piece of memory
public final class DeferredReleases<M> {
  private final Consumer<M> release;
  private final ArrayDeque<Deferred<M>> waiting = new ArrayDeque<>();

  private record Deferred<M>(M memory, List<Fence> fences) {}

  /// Nothing yet.
  ///
  /// @param release gives a piece back to the driver. When it throws, the piece counts as released
  public DeferredReleases(Consumer<M> release) {
    this.release = release;
  }

  /// Releases a piece of memory behind these fences: at once if all are passed.
  public void add(M memory, List<? extends Fence> fences) {
    List<Fence> open = new ArrayList<>();
    for (Fence fence : fences) if (!isPassed(fence)) open.add(fence);
    if (open.isEmpty()) release.accept(memory);
    else waiting.add(new Deferred<>(memory, open));
  }

  /// The pieces not released yet.
  public int size() {
    return waiting.size();
  }

  /// Releases whatever nothing uses any more, without waiting.
  public void releasePassed() {
    releaseIf(deferred -> deferred.fences().stream().allMatch(DeferredReleases::isPassed));
  }

  /// Waits for every fence and releases everything.
  public void awaitAll() {
    releaseIf(
        deferred -> {
          deferred.fences().forEach(DeferredReleases::await);
          return true;
        });
  }

  /// Takes each piece out before it releases it, so that none is released twice.
  private void releaseIf(Predicate<Deferred<M>> isDone) {
    RuntimeException failure = null;
    for (int left = waiting.size(); left > 0; left--) {
      Deferred<M> first = waiting.remove();
      if (!isDone.test(first)) {
        waiting.add(first);
        continue;
      }
      try {
        release.accept(first.memory());
      } catch (RuntimeException e) {
        if (failure == null) failure = e;
        else failure.addSuppressed(e);
      }
    }
    if (failure != null) throw failure;
  }

  private static boolean isPassed(Fence fence) {
    try {
      return fence.isPassed();
    } catch (WorkException e) {
      return true;
    }
  }

  private static void await(Fence fence) {
    try {
      fence.await();
    } catch (WorkException e) {
      // Passed, for what concerns memory; whoever waits for the work itself hears of the error.
    }
  }
}
