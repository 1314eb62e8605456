package dev.quarry.trace;

import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Failure;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceEvent.Mark;
import dev.quarry.trace.TraceEvent.Segment;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// Quarry's JSON lines. Values that are the default are left out.
final class JsonEncoder implements EventEncoder {
  private static final JsonFactory JSON =
      JsonFactory.builder().rootValueSeparator((String) null).build();

  private final JsonGenerator json;

  JsonEncoder(OutputStream out) {
    json = JSON.createGenerator(ObjectWriteContext.empty(), out);
  }

  @Override
  public void header() {
    json.writeStartObject();
    json.writeName(JsonTraceReader.VERSION_KEY);
    json.writeNumber(JsonTraceReader.VERSION);
    end();
  }

  @Override
  public @Nullable String obstacle(TraceEvent event) {
    return null;
  }

  @Override
  public void encode(TraceEvent event) {
    json.writeStartObject();
    switch (event) {
      case Allocate a -> allocate(a);
      case Free f -> free(f);
      case Mark m -> {
        json.writeStringProperty(EventFields.EVENT, EventFields.MARK);
        text(EventFields.TAG, m.text());
      }
      case Failure f -> {
        json.writeStringProperty(EventFields.EVENT, EventFields.FAILURE);
        json.writeNumberProperty(EventFields.SIZE, f.size());
        unless(0, EventFields.STREAM, f.stream());
        text(EventFields.TAG, f.reason());
      }
      case Segment s -> {
        json.writeStringProperty(
            EventFields.EVENT,
            s.change() == Segment.Change.TAKEN
                ? EventFields.SEGMENT_TAKEN
                : EventFields.SEGMENT_GIVEN_BACK);
        json.writeNumberProperty(EventFields.SIZE, s.size());
        unless(0, EventFields.STREAM, s.stream());
        unless(TraceEvent.NO_ADDRESS, EventFields.ADDRESS, s.address());
      }
    }
    unless(TraceEvent.NO_TIME, EventFields.TIME, event.time());
    end();
  }

  private void allocate(Allocate a) {
    json.writeStringProperty(EventFields.EVENT, EventFields.ALLOCATE);
    json.writeNumberProperty(EventFields.ID, a.id());
    json.writeNumberProperty(EventFields.SIZE, a.size());
    unless(0, EventFields.STREAM, a.stream());
    unless(1, EventFields.ALIGNMENT, a.alignment());
    unless(TraceEvent.NO_ADDRESS, EventFields.ADDRESS, a.address());
    text(EventFields.TAG, a.tag());
    if (!a.stack().isEmpty()) {
      json.writeName(EventFields.STACK);
      json.writeStartArray();
      a.stack().forEach(json::writeString);
      json.writeEndArray();
    }
  }

  private void free(Free f) {
    json.writeStringProperty(
        EventFields.EVENT, f.kind() == Free.Kind.ASKED ? EventFields.FREE_ASKED : EventFields.FREE);
    json.writeNumberProperty(EventFields.ID, f.id());
    json.writeNumberProperty(EventFields.SIZE, f.size());
    unless(0, EventFields.STREAM, f.stream());
  }

  private void unless(long usual, String key, long value) {
    if (value != usual) {
      json.writeNumberProperty(key, value);
    }
  }

  private void text(String key, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      json.writeStringProperty(key, text);
    }
  }

  private void end() {
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }
}
