package dev.quarry.vulkan;

import org.jspecify.annotations.Nullable;
import org.lwjgl.vulkan.VkDevice;

/// A timeline semaphore that one queue after another drives upwards, so that their fences need no
/// objects of the driver.
///
/// Threads: any, at once.
final class Timeline {
  private final Vulkan vk;
  private final VkDevice device;
  private final long semaphore;
  private long reached;
  private int waiting;
  private @Nullable VulkanException lost;

  Timeline(Vulkan vk, VkDevice device) {
    this.vk = vk;
    this.device = device;
    this.semaphore = vk.createTimeline(device);
  }

  Vulkan.Point point(long value) {
    return new Vulkan.Point(semaphore, value);
  }

  boolean isOf(VkDevice other) {
    return device.equals(other);
  }

  /// The highest value known to be reached.
  synchronized long reached() {
    return reached;
  }

  synchronized boolean hasReached(long value) {
    if (value <= reached) return true;
    if (lost != null) throw lost;
    reached = Math.max(reached, vk.value(device, semaphore));
    return value <= reached;
  }

  /// Whether nothing before a value uses memory any more. A driver that does not answer has not
  /// said so, unless its device is lost.
  boolean isDone(long value) {
    try {
      return hasReached(value);
    } catch (VulkanException e) {
      return isLost() || e.isDeviceLost();
    }
  }

  void await(long value) {
    synchronized (this) {
      if (hasReached(value)) return;
      waiting++;
    }
    try {
      vk.await(device, semaphore, value);
    } finally {
      synchronized (this) {
        waiting--;
        notifyAll();
      }
    }
    synchronized (this) {
      reached = Math.max(reached, value);
    }
  }

  /// Its queue is closed and everything put there is done, or was never handed to the device.
  synchronized void settle(long value) {
    reached = Math.max(reached, value);
  }

  /// The device no longer says what it reached.
  synchronized void lose(VulkanException failure) {
    lost = failure;
  }

  synchronized boolean isLost() {
    return lost != null;
  }

  /// Destroys the semaphore, its queues being closed. Who still waits is about to be woken.
  synchronized void close() {
    boolean interrupted = false;
    while (waiting > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    vk.destroyTimeline(device, semaphore);
    if (lost == null) reached = Long.MAX_VALUE;
    if (interrupted) Thread.currentThread().interrupt();
  }
}
