package dev.quarry.trace;

import org.jspecify.annotations.Nullable;

/// A trace that cannot be read or written as asked: where, what was found there, and what was expected instead.
///
/// The message is one sentence in that order, fit to be shown to a user:
///
///     run.csv, line 7: found size "-5", expected a whole number of bytes from 0 to 1152921504606846976
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int LONGEST_QUOTE = 60;

  /// The name of the trace.
  private final String source;

  private final long line;

  /// @param source the name of the trace
  /// @param line the line number from 1, or 0 when the whole source is meant
  /// @param found what is there
  /// @param expected what should be there
  public TraceException(String source, long line, String found, String expected) {
    this(source, line, found, expected, null);
  }

  TraceException(
      String source, long line, String found, String expected, @Nullable Throwable cause) {
    super(
        source
            + (line == 0 ? "" : ", line " + line)
            + ": found "
            + found
            + ", expected "
            + expected,
        cause);
    this.source = source;
    this.line = line;
  }

  /// The name of the trace that is at fault.
  public String source() {
    return source;
  }

  /// The line at fault, counted from 1 after decompression; 0 when the source as a whole is.
  public long line() {
    return line;
  }

  /// A piece of the input as it can be shown: in quotes, on one line, shortened.
  static String quote(String text) {
    StringBuilder shown = new StringBuilder("\"");
    for (int i = 0; i < Math.min(text.length(), LONGEST_QUOTE); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || Character.isSurrogate(c)) {
        shown.append(String.format("\\u%04x", (int) c));
      } else {
        shown.append(c);
      }
    }
    return shown.append(text.length() > LONGEST_QUOTE ? "…\"" : "\"").toString();
  }
}
