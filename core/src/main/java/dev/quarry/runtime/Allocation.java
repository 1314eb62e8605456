package dev.quarry.runtime;

import dev.quarry.failure.AllocationId;
import dev.quarry.pool.Slice;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// What all buffers of one allocation share: its memory, and who used it last on which slot.
///
/// **Uses.** A slot numbers its commands. The last writer is a slot and the number of its command;
/// readers since then are the same, one number for each slot. At first the writer is the slot that
/// allocated the memory, at the number it had reached then, because what used the same bytes before
/// was ordered on that slot. Whoever reads waits for the last writer; whoever writes waits for the
/// readers too. Commands that are being issued at this moment are counted as open.
///
/// Everything but the count of owners belongs to the device's lock.
final class Allocation {
  private static final Slot<?>[] NO_SLOTS = {};
  private static final long[] NO_NUMBERS = {};

  final Slot<?> home;
  final long size;

  /// The memory; null when the reservation failed and the failure is recorded instead.
  final @Nullable Slice slice;

  private final @Nullable Unallocated unallocated;

  Slot<?> writer;
  long written;
  int openReads;
  int openWrites;
  private long readAtHome;
  private Slot<?>[] readers = NO_SLOTS;
  private long[] read = NO_NUMBERS;
  private int readersElsewhere;

  /// What an allocation has whose reservation failed.
  ///
  /// @param owners its buffers, which nothing else counts
  private record Unallocated(AllocationId id, AtomicInteger owners) {}

  Allocation(Slot<?> home, long size, Slice slice) {
    this(home, size, slice, null);
  }

  /// An allocation without memory.
  Allocation(Slot<?> home, long size, AllocationId id) {
    this(home, size, null, new Unallocated(id, new AtomicInteger(1)));
  }

  private Allocation(
      Slot<?> home, long size, @Nullable Slice slice, @Nullable Unallocated unallocated) {
    this.home = home;
    this.size = size;
    this.slice = slice;
    this.unallocated = unallocated;
    this.writer = home;
    this.written = home.issued;
  }

  AllocationId id() {
    return slice != null ? slice.allocation() : Objects.requireNonNull(unallocated).id;
  }

  /// Counts a further buffer of an allocation without memory, unless none is left.
  boolean addOwner() {
    return unallocated != null && unallocated.owners.getAndUpdate(n -> n == 0 ? 0 : n + 1) > 0;
  }

  void dropOwner() {
    if (unallocated != null && unallocated.owners.decrementAndGet() == 0)
      home.device.noteClosed(this);
  }

  void noteRead(Slot<?> slot, long number) {
    if (slot == home) {
      readAtHome = number;
      return;
    }
    for (int i = 0; i < readersElsewhere; i++) {
      if (readers[i] != slot) continue;
      read[i] = number;
      return;
    }
    if (readersElsewhere == readers.length) {
      int room = Math.max(2, 2 * readersElsewhere);
      readers = Arrays.copyOf(readers, room);
      read = Arrays.copyOf(read, room);
    }
    readers[readersElsewhere] = slot;
    read[readersElsewhere++] = number;
  }

  void noteWrite(Slot<?> slot, long number) {
    writer = slot;
    written = number;
    readAtHome = 0;
    Arrays.fill(readers, 0, readersElsewhere, null);
    readersElsewhere = 0;
  }

  /// What a user of this allocation has to wait for.
  interface Waits {
    void on(Slot<?> slot, long number);
  }

  void forReader(Waits waits) {
    waits.on(writer, written);
  }

  void forWriter(Waits waits) {
    waits.on(writer, written);
    waits.on(home, readAtHome);
    for (int i = 0; i < readersElsewhere; i++) waits.on(readers[i], read[i]);
  }
}
