package dev.quarry.vulkan;

import dev.quarry.failure.WorkException;
import dev.quarry.failure.WorkFailure;
import dev.quarry.storage.Fence;
import org.jspecify.annotations.Nullable;

/// A value of a queue's timeline.
///
/// @param size the bytes that the commands before it touch
/// @param failure why commands before it were not handed to the device; null when all were
record VulkanFence(Timeline timeline, long value, long size, @Nullable WorkFailure failure)
    implements Fence {
  Vulkan.Point point() {
    return timeline.point(value);
  }

  @Override
  public boolean isPassed() {
    if (failure != null) throw new WorkException(failure);
    try {
      return timeline.hasReached(value);
    } catch (VulkanException e) {
      throw e.ofWork(size);
    }
  }

  @Override
  public void await() {
    if (failure != null) throw new WorkException(failure);
    try {
      timeline.await(value);
    } catch (VulkanException e) {
      throw e.ofWork(size);
    }
  }

  /// Whether there is nothing to wait for any more.
  boolean isSettled() {
    return failure != null || timeline.isDone(value);
  }

  /// The same point as a fence for memory: one that is passed when nothing before it uses memory
  /// any more, however that ended.
  Fence ofMemory() {
    return new Fence() {
      @Override
      public boolean isPassed() {
        return isSettled();
      }

      @Override
      public void await() {
        if (!isSettled()) VulkanFence.this.await();
      }
    };
  }
}
