package dev.quarry.runtime;

import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.storage.Fence;
import java.util.ArrayList;
import java.util.List;

/// What a device does before it refuses memory, in three stages, each followed by another try:
/// reclaim the slot that asks, then every slot, then wait for work that keeps memory.
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
    if (stage == 1) device.warn(() -> slot.main.name() + ": " + refused.message() + "; reclaiming");
    boolean did =
        switch (stage) {
          case 1 -> reclaimOwn();
          case 2 -> reclaimAll();
          case 3 -> awaitWork();
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
    device.releaseWhatIsDone();
    for (Slot<?> each : device.slots()) each.cleanUp();
    return true;
  }

  /// Waits for the work that uses pinned memory, and for whatever else is on the queues: a storage
  /// keeps memory given back for as long as commands may use it.
  private boolean awaitWork() {
    List<Fence> fences = new ArrayList<>();
    for (Slot<?> each : device.slots()) {
      each.collectPins(null, fences);
      each.collectWork(fences);
    }
    if (fences.isEmpty()) return false;
    fences.forEach(device::awaitUnlocked);
    for (Slot<?> each : device.slots()) each.drainDrops();
    return reclaimAll();
  }
}
