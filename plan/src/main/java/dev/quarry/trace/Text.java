package dev.quarry.trace;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// What a tag, a mark or a frame may consist of: anything that UTF-8 can carry, but no NUL, which
/// readers take for binary data.
final class Text {
  private Text() {}

  static boolean isSound(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || Character.isLowSurrogate(c)) {
        return false;
      }
      if (Character.isHighSurrogate(c)) {
        if (i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /// A program's text as a trace carries it: what it can not carry is replaced, and no text is
  /// null.
  static @Nullable String sound(@Nullable String text) {
    if (text == null || text.isEmpty()) return null;
    byte[] bytes = text.replace((char) 0, ' ').getBytes(StandardCharsets.UTF_8);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
