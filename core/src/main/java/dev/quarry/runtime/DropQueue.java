package dev.quarry.runtime;

import dev.quarry.storage.Fence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Host buffers that commands of a queue still need: *staged* since the last flush, *pending* until
/// the fence of that flush is passed, then released.
///
/// Guarantees
/// - A buffer is released after a fence made behind every command that uses it.
/// - At most two generations are held, so that a program which only writes holds a bounded amount.
/// - Nothing here blocks: the caller waits for [#awaited] outside of any lock.
///
/// Belongs to the device's lock.
final class DropQueue {
  private static final int FLUSH_BUFFERS = 64;
  private static final long FLUSH_BYTES = 64L << 20;

  private List<Runnable> staged = new ArrayList<>();
  private long stagedBytes;
  private List<Runnable> pending = new ArrayList<>();
  private @Nullable Fence fence;

  void stage(Runnable release, long bytes) {
    staged.add(release);
    stagedBytes += bytes;
  }

  boolean wantsFlush() {
    return staged.size() >= FLUSH_BUFFERS || stagedBytes >= FLUSH_BYTES;
  }

  boolean isEmpty() {
    return staged.isEmpty() && pending.isEmpty();
  }

  int staged() {
    return staged.size();
  }

  long stagedBytes() {
    return stagedBytes;
  }

  /// What has to be passed before the next [#rotate]; null when nothing is pending.
  @Nullable Fence awaited() {
    return fence;
  }

  /// Releases what is pending, if its fence is the one that was passed.
  @SuppressWarnings("ReferenceEquality") // fences are told apart by identity
  void release(Fence passed) {
    if (fence != passed) return;
    List<Runnable> released = pending;
    pending = new ArrayList<>();
    fence = null;
    released.forEach(Runnable::run);
  }

  /// Makes what is staged pending until `next` is passed. Called with nothing pending.
  void rotate(Fence next) {
    assert fence == null : "the generation before is still pending";
    pending = staged;
    staged = new ArrayList<>();
    stagedBytes = 0;
    fence = next;
  }

  /// Releases everything, once nothing is on the queue any more.
  void releaseAll() {
    pending.forEach(Runnable::run);
    staged.forEach(Runnable::run);
    pending = new ArrayList<>();
    staged = new ArrayList<>();
    stagedBytes = 0;
    fence = null;
  }
}
