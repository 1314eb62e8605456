package dev.quarry.runtime;

import dev.quarry.failure.AllocationId;
import dev.quarry.pool.Slice;
import java.util.Arrays;
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
/// Everything but [#owners] belongs to the device's lock.
final class Allocation {
  private static final Slot<?>[] NO_SLOTS = {};
  private static final long[] NO_NUMBERS = {};

  final Slot<?> home;
  final AllocationId id;
  final long size;

  /// The memory; null when the reservation failed and the failure is recorded instead.
  final @Nullable Slice slice;

  /// The buffers of an allocation without memory, which nothing else counts.
  final AtomicInteger owners = new AtomicInteger(1);

  Slot<?> writer;
  long written;
  int openReads;
  int openWrites;
  private long readAtHome;
  private Slot<?>[] readers = NO_SLOTS;
  private long[] read = NO_NUMBERS;
  private int readersElsewhere;

  Allocation(Slot<?> home, AllocationId id, long size, @Nullable Slice slice) {
    this.home = home;
    this.id = id;
    this.size = size;
    this.slice = slice;
    this.writer = home;
    this.written = home.issued;
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
