package dev.quarry.pool;

import dev.quarry.storage.StorageId;
import org.jspecify.annotations.Nullable;

/// One device allocation held by a pool, mapped or not yet.
final class Page {
  final Pool pool;

  /// The bytes asked of the storage.
  final long size;

  /// Its number in the pool. Numbers move when pages before it are dropped; nothing but order and
  /// reports depends on them.
  int index;

  /// The live slices on it.
  int live;

  /// The storage's name for it; null while it is unmapped.
  @Nullable StorageId storage;

  /// In pools of whole pages: the live slice, which the page keeps reachable.
  @Nullable Slice slice;

  /// In pools of exact sizes: what keeps the pages of this size.
  ExactSizes.@Nullable Bucket bucket;

  /// In exclusive pools: how close the page is to being dropped; while it is free, the set it is in
  /// says so instead.
  int freeCount;

  /// In exclusive pools: how many pages were made before it, and the place it is kept at.
  long order;

  int place;

  Page(Pool pool, long size) {
    this.pool = pool;
    this.size = size;
  }

  boolean isMapped() {
    return storage != null;
  }
}
