package dev.quarry.trace;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/// The beginning of a source, up to 1 MiB after decompression, to tell its format by.
record Head(String text) {
  private static final int LENGTH = 1 << 20;

  static Head of(String name, Source source) {
    try (Input in = Input.open(name, source)) {
      byte[] bytes = new byte[LENGTH];
      int length = 0;
      while (length < LENGTH) {
        int n = in.read(bytes, length, LENGTH - length, 0);
        if (n < 0) {
          break;
        }
        length += n;
      }
      String text = new String(bytes, 0, length, StandardCharsets.UTF_8);
      return new Head(text.startsWith("\ufeff") ? text.substring(1) : text);
    }
  }

  /// The lines, without their ends; the last one may be cut.
  Stream<String> lines() {
    return text.lines();
  }

  String firstLine() {
    return lines().findFirst().orElse("");
  }

  /// What this is when it is no trace.
  String describe() {
    if (text.isEmpty()) {
      return "an empty file";
    }
    if (text.indexOf('\0') >= 0) {
      return "binary data (a NUL byte)";
    }
    if (text.indexOf('\ufffd') >= 0) {
      return "bytes that are not UTF-8";
    }
    return "text that begins with " + TraceException.quote(firstLine());
  }
}
