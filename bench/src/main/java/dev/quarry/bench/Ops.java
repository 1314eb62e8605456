package dev.quarry.bench;

import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceReader;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/// A trace as two arrays, ready to be replayed without reading anything: each operation reserves
/// bytes into a slot or closes what the slot holds. A slot is empty before the one and full before
/// the other; the slot closed last is used first.
final class Ops {
  private final String name;
  private int[] slots = new int[1 << 16];
  private long[] bytes = new long[1 << 16];
  private int size;
  private int untimed;
  private int slotsUsed;
  private final ArrayDeque<Integer> spare = new ArrayDeque<>();

  private long live;
  private long liveBytes;
  private long peakLive;
  private long peakBytes;
  private long allocations;

  /// No operation yet.
  Ops(String name) {
    this.name = name;
  }

  /// A trace the generator knows by name.
  static Ops generate(String name) {
    return TraceGenerator.generate(name);
  }

  /// A trace in a file of any format.
  static Ops read(Path file) {
    Ops ops = new Ops(file.toString());
    Map<Long, Integer> slotOf = new HashMap<>();
    try (Trace trace = Trace.of(file);
        TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
        if (event instanceof Allocate asked) {
          slotOf.put(asked.id(), ops.allocate(asked.size()));
        } else if (event instanceof Free free && free.kind() == Free.Kind.COMPLETED) {
          ops.free(Objects.requireNonNull(slotOf.remove(free.id())), free.size());
        }
      }
    }
    return ops;
  }

  /// Adds a reservation.
  ///
  /// @return the slot it goes to
  int allocate(long size) {
    int slot = spare.isEmpty() ? slotsUsed++ : spare.pop();
    add(slot, size);
    allocations++;
    live++;
    liveBytes += size;
    peakLive = Math.max(peakLive, live);
    peakBytes = Math.max(peakBytes, liveBytes);
    return slot;
  }

  /// Adds the closing of what a slot holds.
  void free(int slot, long size) {
    add(slot, -1);
    spare.push(slot);
    live--;
    liveBytes -= size;
  }

  private void add(int slot, long value) {
    if (size == slots.length) {
      slots = Arrays.copyOf(slots, size * 2);
      bytes = Arrays.copyOf(bytes, size * 2);
    }
    slots[size] = slot;
    bytes[size] = value;
    size++;
  }

  /// Takes the operations so far for preparation that is not to be timed.
  void timeFromHere() {
    untimed = size;
  }

  String name() {
    return name;
  }

  int size() {
    return size;
  }

  /// The operations that are to be timed: the last ones.
  int timed() {
    return size - untimed;
  }

  /// The most bytes that are live at once.
  long peakBytes() {
    return peakBytes;
  }

  int slots() {
    return slotsUsed;
  }

  int slot(int operation) {
    return slots[operation];
  }

  boolean isFree(int operation) {
    return bytes[operation] < 0;
  }

  long bytes(int operation) {
    return bytes[operation];
  }

  /// The counts that a file of these operations begins with.
  String heading() {
    return "# %s ops=%d allocs=%d slots=%d peak_live=%d peak_bytes=%d"
        .formatted(name, size, allocations, slotsUsed, peakLive, peakBytes);
  }

  /// The operations as lines of the bench text format.
  String text() {
    StringBuilder text = new StringBuilder(heading()).append('\n');
    for (int i = 0; i < size; i++) {
      if (isFree(i)) text.append("f ").append(slots[i]).append('\n');
      else text.append("a ").append(slots[i]).append(' ').append(bytes[i]).append('\n');
    }
    return text.toString();
  }
}
