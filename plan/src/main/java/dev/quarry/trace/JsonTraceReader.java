package dev.quarry.trace;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/// Quarry's own JSON lines: an object naming the version, then one flat object a line for each
/// event.
final class JsonTraceReader implements TraceReader {
  /// The one key of the first line; its value is the version.
  static final String VERSION_KEY = "quarry-trace";

  static final String VERSION = "1";

  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final LineReader lines;
  private final Ledger ledger;

  JsonTraceReader(LineReader lines) {
    this.lines = lines;
    ledger = new Ledger(lines.source());
    readHeader();
  }

  static boolean recognises(Head head) {
    String first = head.firstLine().stripLeading();
    return first.startsWith("{") && first.contains('"' + VERSION_KEY + '"');
  }

  private void readHeader() {
    String expected = "{\"" + VERSION_KEY + "\":" + VERSION + "}";
    if (!nextLine()) {
      throw lines.refuse("an empty file", expected);
    }
    try (JsonParser json = parser()) {
      boolean version =
          json.nextToken() == JsonToken.START_OBJECT
              && VERSION_KEY.equals(json.nextName())
              && json.nextToken() == JsonToken.VALUE_NUMBER_INT
              && json.getString().equals(VERSION)
              && json.nextToken() == JsonToken.END_OBJECT
              && json.nextToken() == null;
      if (!version) {
        throw lines.refuse(TraceException.quote(lines.text()), expected);
      }
    } catch (JacksonException e) {
      throw broken(e);
    }
  }

  @Override
  public @Nullable TraceEvent next() {
    if (!nextLine()) {
      return null;
    }
    EventFields fields = new EventFields(lines.source(), lines.number());
    try (JsonParser json = parser()) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw lines.refuse(TraceException.quote(lines.text()), "one JSON object in each line");
      }
      for (String key = json.nextName(); key != null; key = json.nextName()) {
        set(fields, key, json);
      }
      if (json.nextToken() != null) {
        throw lines.refuse("more after the object", "one JSON object in each line");
      }
    } catch (JacksonException e) {
      throw broken(e);
    }
    return fields.toEvent(ledger);
  }

  private void set(EventFields fields, String key, JsonParser json) {
    JsonToken token = json.nextToken();
    switch (key) {
      case EventFields.EVENT -> fields.event = text(key, token, json);
      case EventFields.TAG -> fields.tag = text(key, token, json);
      case EventFields.ID -> fields.id = number(key, token, json);
      case EventFields.SIZE -> fields.size = number(key, token, json);
      case EventFields.STREAM -> fields.stream = number(key, token, json);
      case EventFields.TIME -> fields.time = number(key, token, json);
      case EventFields.ALIGNMENT -> fields.alignment = number(key, token, json);
      case EventFields.ADDRESS -> fields.address = number(key, token, json);
      case EventFields.STACK -> fields.stack = frames(token, json);
      default -> skip(key, json);
    }
  }

  private void skip(String key, JsonParser json) {
    if (!key.startsWith(EventFields.FOREIGN)) {
      throw lines.refuse(
          "key " + TraceException.quote(key),
          "one of the format's keys or a name that begins with " + EventFields.FOREIGN);
    }
    json.skipChildren();
  }

  private @Nullable String text(String key, JsonToken token, JsonParser json) {
    return switch (token) {
      case VALUE_STRING -> json.getString();
      case VALUE_NULL -> null;
      default -> throw lines.refuse(key + " as " + token, "a string");
    };
  }

  private @Nullable String number(String key, JsonToken token, JsonParser json) {
    return switch (token) {
      case VALUE_NUMBER_INT -> json.getString();
      case VALUE_NULL -> null;
      default -> throw lines.refuse(key + " as " + token, "a whole number");
    };
  }

  private List<String> frames(JsonToken token, JsonParser json) {
    if (token != JsonToken.START_ARRAY) {
      throw lines.refuse(EventFields.STACK + " as " + token, "an array of strings");
    }
    List<String> frames = new ArrayList<>();
    for (JsonToken t = json.nextToken(); t != JsonToken.END_ARRAY; t = json.nextToken()) {
      if (t != JsonToken.VALUE_STRING) {
        throw lines.refuse("a frame as " + t, "a string");
      }
      frames.add(json.getString());
    }
    return frames;
  }

  private boolean nextLine() {
    if (!lines.next()) {
      return false;
    }
    if (!lines.ended()) {
      throw lines.refuse("a last line that is cut off", "a line end after every object");
    }
    return true;
  }

  private JsonParser parser() {
    return JSON.createParser(
        ObjectReadContext.empty(), lines.bytes(), lines.from(), lines.length());
  }

  private TraceException broken(JacksonException e) {
    return lines.refuse(
        "broken JSON (" + e.getOriginalMessage().lines().findFirst().orElse("") + ")",
        "one JSON object in each line");
  }

  @Override
  public TraceNotes notes() {
    return TraceNotes.NONE;
  }

  @Override
  public long position() {
    return lines.position();
  }

  @Override
  public void close() {
    lines.close();
  }
}
