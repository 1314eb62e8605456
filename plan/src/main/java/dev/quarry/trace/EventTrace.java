package dev.quarry.trace;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A trace of events that a program holds.
final class EventTrace implements Trace {
  private static final String NAME = "events";

  private final List<TraceEvent> events;

  EventTrace(List<TraceEvent> events) {
    this.events = List.copyOf(events);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public TraceFormat format() {
    return TraceFormat.JSON_LINES;
  }

  @Override
  public TraceReader open() {
    return new Reader(events);
  }

  @Override
  public long length() {
    return events.size();
  }

  @Override
  public String sha256() {
    MessageDigest digest = SourceTrace.newDigest();
    OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest);
    try (TraceReader reader = open();
        TraceWriter writer =
            TraceWriter.to(out, TraceWriter.Form.JSON_LINES, TraceWriter.Packing.PLAIN)) {
      writer.writeAll(reader);
      writer.finish();
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @Override
  public Trace withEnds(LifetimeEnds ends) {
    return this;
  }

  @Override
  public Trace withDevice(int device) {
    return this;
  }

  @Override
  public Trace withFormat(TraceFormat format) {
    return this;
  }

  @Override
  public void close() {}

  private static final class Reader implements TraceReader {
    private final List<TraceEvent> events;
    private final Ledger ledger = new Ledger(NAME);
    private int position;

    Reader(List<TraceEvent> events) {
      this.events = events;
    }

    @Override
    public @Nullable TraceEvent next() {
      return position == events.size() ? null : ledger.enter(position + 1, events.get(position++));
    }

    @Override
    public TraceNotes notes() {
      return TraceNotes.NONE;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void close() {}
  }
}
