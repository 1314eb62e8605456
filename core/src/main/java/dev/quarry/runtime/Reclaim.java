package dev.quarry.runtime;

import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.storage.Fence;
import java.util.ArrayList;
import java.util.List;

/// What a device does before it refuses memory, in three stages, each followed by another try:
/// reclaim the slot that asks, then every slot, then wait for work that keeps memory pinned.
///
/// Called with the device's lock held once, which is given up while waiting.
final class Reclaim {
  private final Device<?> device;
  private final Slot<?> slot;
  private int stage;

  Reclaim(Device<?> device, Slot<?> slot) {
    this.device = device;
    this.slot = slot;
  }

  /// Does the next stage, unless nothing can help.
  boolean worthAnotherTry(MemoryFailure refused) {
    if (refused instanceof BufferTooBig
        || (refused instanceof MemoryFailure.MappingFailed(_, BufferTooBig _))) return false;
    stage++;
    device.warn(
        () ->
            slot.main.name() + ": " + refused.message() + "; reclaiming, stage " + stage + " of 3");
    boolean did =
        switch (stage) {
          case 1 -> reclaimOwn();
          case 2 -> reclaimAll();
          case 3 -> awaitPins();
          default -> false;
        };
    if (did) device.checkUsable();
    return did;
  }

  private boolean reclaimOwn() {
    slot.drainDrops();
    slot.cleanUp();
    return true;
  }

  private boolean reclaimAll() {
    for (Slot<?> each : device.slots()) {
      each.releasePassedPins();
      each.cleanUp();
    }
    return true;
  }

  private boolean awaitPins() {
    List<Fence> fences = new ArrayList<>();
    for (Slot<?> each : device.slots()) {
      each.collectPins(null, fences);
      if (each != slot && each.isQueueMine()) each.flushDrops();
    }
    if (fences.isEmpty()) return false;
    fences.forEach(device::awaitUnlocked);
    return reclaimAll();
  }
}
