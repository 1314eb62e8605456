package dev.quarry.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One device allocation and what lies on it.
final class NaivePage {
  private static final long NOTHING = -1;

  final long size;

  /// What lies on it, in no order. What has been freed stays until the pools next look.
  final List<NaiveAllocation> allocations = new ArrayList<>();

  /// What was put on it last, freed or not.
  @Nullable NaiveAllocation latest;

  /// How close an exclusive pool is to dropping it.
  int freeCount = 4;

  private long storageNumber = NOTHING;

  NaivePage(long size) {
    this.size = size;
  }

  boolean isMapped() {
    return storageNumber != NOTHING;
  }

  /// Forgets what has no owner any more; its claims end here.
  void noticeFreed() {
    allocations.stream().filter(NaiveAllocation::isFree).forEach(freed -> freed.claims.clear());
    allocations.removeIf(NaiveAllocation::isFree);
  }

  boolean isEmpty() {
    return allocations.isEmpty();
  }

  long storageNumber() {
    return storageNumber;
  }

  void map(NaiveStorage storage) {
    storageNumber = storage.allocate(size);
  }

  void release(NaiveStorage storage) {
    if (isMapped()) storage.deallocate(storageNumber);
    storageNumber = NOTHING;
  }
}
