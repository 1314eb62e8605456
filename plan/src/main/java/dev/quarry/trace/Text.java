package dev.quarry.trace;

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
}
