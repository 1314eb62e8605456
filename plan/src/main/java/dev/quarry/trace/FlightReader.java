package dev.quarry.trace;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/// A Flight Recorder recording that holds the events of `dev.quarry.jfr`: reservations, releases
/// and refusals.
///
/// Events lie in a recording in no order. What one observer numbered is put in the order of its
/// numbers, and several observers are joined by time. So all events are held at once. Releases of
/// what was reserved before the recording began are passed over, and so is pinned host memory.
final class FlightReader implements TraceReader {
  private static final String MAGIC = "FLR\0";
  private static final String RESERVATION = "dev.quarry.Reservation";
  private static final String RELEASE = "dev.quarry.Release";
  private static final String REFUSAL = "dev.quarry.Refusal";

  private final List<TraceEvent> events;
  private final Ledger ledger;
  private final long length;
  private final TraceNotes notes;
  private int position;

  private FlightReader(String name, List<TraceEvent> events, long length, TraceNotes notes) {
    this.events = events;
    this.ledger = new Ledger(name);
    this.length = length;
    this.notes = notes;
  }

  static boolean recognises(Head head) {
    return head.text().startsWith(MAGIC);
  }

  static TraceReader open(String name, Source source) {
    try {
      Path file = Files.createTempFile("quarry-", ".jfr");
      try {
        copy(name, source, file);
        return read(name, file, source.size());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw Input.failure(name, 0, e);
    }
  }

  /// The consumer wants a file, without gzip around it.
  private static void copy(String name, Source source, Path file) throws IOException {
    byte[] buffer = new byte[1 << 16];
    try (Input in = Input.open(name, source);
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (int n = in.read(buffer, 0, buffer.length, 0);
          n >= 0;
          n = in.read(buffer, 0, buffer.length, 0)) out.write(buffer, 0, n);
    }
  }

  private static TraceReader read(String name, Path file, long length) {
    List<Entry> entries = new ArrayList<>();
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) entry(recording.readEvent()).ifPresent(entries::add);
    } catch (IOException | RuntimeException | VirtualMachineError e) {
      // The consumer answers damage with whatever its parser meets, lengths beyond all memory too.
      throw new TraceException(
          name,
          0,
          "a damaged recording (" + TraceException.quote(String.valueOf(e.getMessage())) + ")",
          "a complete recording",
          e);
    }
    if (entries.stream().noneMatch(Entry::isReservation)) {
      throw new TraceException(
          name,
          0,
          "a recording without reservations of Quarry",
          "one made with the profile quarry-trace.jfc");
    }
    return inOrder(name, entries, length);
  }

  /// An event, before it has its place.
  private record Entry(
      Instant start,
      long observer,
      long sequence,
      long allocation,
      long size,
      long stream,
      @Nullable String text,
      String kind) {
    boolean isReservation() {
      return kind.equals(RESERVATION);
    }
  }

  private static Optional<Entry> entry(RecordedEvent event) {
    String kind = event.getEventType().getName();
    if (!kind.equals(RESERVATION) && !kind.equals(RELEASE) && !kind.equals(REFUSAL))
      return Optional.empty();
    if (event.getBoolean("pinned")) return Optional.empty();
    boolean refusal = kind.equals(REFUSAL);
    return Optional.of(
        new Entry(
            event.getStartTime(),
            refusal ? 0 : event.getLong("observer"),
            refusal ? 0 : event.getLong("sequence"),
            refusal ? 0 : event.getLong("allocation"),
            event.getLong("size"),
            event.getInt("stream"),
            switch (kind) {
              case RESERVATION -> event.getString("label");
              case REFUSAL -> event.getString("reason");
              default -> null;
            },
            kind));
  }

  private static TraceReader inOrder(String name, List<Entry> entries, long length) {
    entries.sort(Comparator.comparing(Entry::start));
    restoreSequences(entries);
    Instant start = entries.getFirst().start;
    TraceNotes.Tally notes = new TraceNotes.Tally();
    notes.fact("Times are nanoseconds from the first event; a recording rounds them.");
    Map<Key, Long> live = new HashMap<>();
    List<TraceEvent> events = new ArrayList<>();
    long ids = 0;
    for (Entry entry : entries) {
      long time = start.until(entry.start, ChronoUnit.NANOS);
      long size = Math.clamp(entry.size, 0, TraceEvent.MAX_SIZE);
      Key key = new Key(entry.observer, entry.allocation);
      switch (entry.kind) {
        case RESERVATION -> {
          live.put(key, ids);
          events.add(
              new TraceEvent.Allocate(
                  ids++,
                  size,
                  entry.stream,
                  time,
                  1,
                  TraceEvent.NO_ADDRESS,
                  Text.sound(entry.text),
                  List.of()));
        }
        case RELEASE -> {
          Long id = live.remove(key);
          if (id == null) notes.count(Irregularity.UNKNOWN_FREED, events.size() + 1);
          else
            events.add(
                new TraceEvent.Free(id, size, TraceEvent.Free.Kind.COMPLETED, entry.stream, time));
        }
        default ->
            events.add(new TraceEvent.Failure(size, entry.stream, time, Text.sound(entry.text)));
      }
    }
    return new FlightReader(name, events, length, notes.notes());
  }

  private record Key(long observer, long allocation) {}

  /// Puts what each observer numbered in the order of its numbers, in the places that its events
  /// have among the others by time.
  private static void restoreSequences(List<Entry> entries) {
    Map<Long, List<Integer>> places = new HashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      if (!entries.get(i).kind.equals(REFUSAL))
        places.computeIfAbsent(entries.get(i).observer, _ -> new ArrayList<>()).add(i);
    }
    for (List<Integer> own : places.values()) {
      List<Entry> ordered =
          own.stream().map(entries::get).sorted(Comparator.comparingLong(Entry::sequence)).toList();
      for (int i = 0; i < own.size(); i++) entries.set(own.get(i), ordered.get(i));
    }
  }

  @Override
  public @Nullable TraceEvent next() {
    return position == events.size() ? null : ledger.enter(position + 1, events.get(position++));
  }

  @Override
  public TraceNotes notes() {
    return notes;
  }

  /// All of it was taken in before the first event.
  @Override
  public long position() {
    return length;
  }

  @Override
  public void close() {}
}
