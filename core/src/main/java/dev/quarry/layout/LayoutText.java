package dev.quarry.layout;

import dev.quarry.size.ByteSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/// The text form of layouts, for people and the command line.
final class LayoutText {
  private LayoutText() {}

  static String of(List<PoolSpec> pools) {
    return pools.stream().map(LayoutText::of).collect(Collectors.joining(";"));
  }

  static String of(PoolSpec spec) {
    return switch (spec) {
      case PoolSpec.Sliced(long page, OptionalLong slice, OptionalLong cap, OptionalLong period) ->
          "sliced:"
              + fields("page", OptionalLong.of(page), "slice", slice, "cap", cap)
              + period(period);
      case PoolSpec.Exclusive(long max, OptionalLong period) ->
          "exclusive:" + fields("max", OptionalLong.of(max)) + period(period);
      case PoolSpec.Direct(OptionalLong reclaim) ->
          reclaim.isEmpty() ? "direct" : "direct:" + fields("reclaim", reclaim);
    };
  }

  private static String fields(Object... namesAndSizes) {
    StringJoiner text = new StringJoiner(",");
    for (int i = 0; i < namesAndSizes.length; i += 2) {
      OptionalLong size = (OptionalLong) namesAndSizes[i + 1];
      if (size.isPresent()) text.add(namesAndSizes[i] + "=" + new ByteSize(size.getAsLong()));
    }
    return text.toString();
  }

  private static String period(OptionalLong period) {
    return period.isEmpty() ? "" : ",period=" + period.getAsLong();
  }

  static Layout parse(String text) {
    String whole = text.strip();
    for (Preset preset : Preset.values()) {
      if (preset.text().equals(whole)) return preset;
    }
    List<PoolSpec> pools = new ArrayList<>();
    for (String part : whole.split(";", -1)) pools.add(parsePool(part.strip()));
    return new Layout.Explicit(pools);
  }

  private static PoolSpec parsePool(String text) {
    int colon = text.indexOf(':');
    String kind = colon < 0 ? text : text.substring(0, colon).strip();
    Fields fields = new Fields(text, colon < 0 ? "" : text.substring(colon + 1));
    PoolSpec spec =
        switch (kind) {
          case "sliced" ->
              new PoolSpec.Sliced(
                  fields.required("page"),
                  fields.size("slice"),
                  fields.size("cap"),
                  fields.count("period"));
          case "exclusive" ->
              new PoolSpec.Exclusive(fields.required("max"), fields.count("period"));
          case "direct" -> new PoolSpec.Direct(fields.size("reclaim"));
          default ->
              throw new IllegalArgumentException(
                  "layout '"
                      + text
                      + "' names no pool: expected sub-slices, exclusive-pages,"
                      + " or pools that start with sliced:, exclusive: or direct");
        };
    fields.allUsed();
    return spec;
  }

  /// The `name=value` pairs of one pool; each is taken once.
  private static final class Fields {
    private final String pool;
    private final Map<String, String> values = new HashMap<>();

    Fields(String pool, String text) {
      this.pool = pool;
      if (text.isBlank()) return;
      for (String part : text.split(",", -1)) {
        int equals = part.indexOf('=');
        if (equals < 0) throw problem("'" + part.strip() + "' has no value: expected name=value");
        String name = part.substring(0, equals).strip();
        if (values.put(name, part.substring(equals + 1).strip()) != null)
          throw problem("'" + name + "' is given twice");
      }
    }

    long required(String name) {
      return size(name)
          .orElseThrow(() -> problem("'" + name + "' is missing: expected " + name + "=SIZE"));
    }

    OptionalLong size(String name) {
      String value = values.remove(name);
      if (value == null) return OptionalLong.empty();
      try {
        return OptionalLong.of(ByteSize.parse(value).bytes());
      } catch (IllegalArgumentException e) {
        throw problem("'" + name + "': " + e.getMessage());
      }
    }

    OptionalLong count(String name) {
      String value = values.remove(name);
      if (value == null) return OptionalLong.empty();
      try {
        return OptionalLong.of(
            Long.parseUnsignedLong(value) < 0 ? Long.MAX_VALUE : Long.parseLong(value));
      } catch (NumberFormatException e) {
        throw problem("'" + name + "' is '" + value + "': expected a number of reservations");
      }
    }

    void allUsed() {
      if (!values.isEmpty()) {
        throw problem("'" + values.keySet().iterator().next() + "' is no field of this pool");
      }
    }

    private IllegalArgumentException problem(String what) {
      return new IllegalArgumentException("pool '" + pool + "': " + what);
    }
  }
}
