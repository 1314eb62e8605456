package dev.quarry.trace;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The lines of a text, as ranges of one reused buffer.
///
/// Every line is checked here, once for all formats: at most 1 MiB long, no NUL, valid UTF-8. A
/// byte order mark before the first line is skipped, a carriage return before a line end is cut
/// off.
final class LineReader implements AutoCloseable {
  /// The longest line accepted, in bytes, without its end.
  static final int MAX_LINE = 1 << 20;

  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final String source;
  private final Input in;
  private byte[] buffer = new byte[1 << 16];
  private int position;
  private int limit;
  private int from;
  private int to;
  private int rawTo;
  private long number;
  private boolean ended;

  LineReader(String source, Input in) {
    this.source = source;
    this.in = in;
  }

  /// Goes to the next line; false if there is none.
  boolean next() {
    number++;
    if (number == 1) {
      skipByteOrderMark();
    }
    boolean ascii = true;
    from = position;
    int at = position;
    while (true) {
      while (at < limit) {
        byte b = buffer[at];
        if (b == '\n') {
          position = at + 1;
          return line(at, true, ascii);
        }
        if (b <= 0) {
          if (b == 0) {
            throw refuse("binary data (a NUL byte)", "text");
          }
          ascii = false;
        }
        at++;
      }
      if (at - from > MAX_LINE) {
        throw tooLong();
      }
      int length = at - from;
      boolean more = fill();
      at = from + length;
      if (!more) {
        position = at;
        return length > 0 && line(at, false, ascii);
      }
    }
  }

  private boolean line(int end, boolean complete, boolean ascii) {
    ended = complete;
    rawTo = end;
    to = end > from && buffer[end - 1] == '\r' ? end - 1 : end;
    if (to - from > MAX_LINE) {
      throw tooLong();
    }
    if (!ascii) {
      decode();
    }
    return true;
  }

  private TraceException tooLong() {
    return refuse("a line longer than " + MAX_LINE + " bytes", "a trace with shorter lines");
  }

  private String decode() {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(buffer, from, rawTo - from))
          .toString();
    } catch (CharacterCodingException e) {
      throw refuse("bytes that are not UTF-8", "UTF-8 text");
    }
  }

  /// Moves the line begun to the front of the buffer and reads on behind it; false at the end of
  /// the input.
  private boolean fill() {
    System.arraycopy(buffer, from, buffer, 0, limit - from);
    limit -= from;
    position -= from;
    from = 0;
    if (limit == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * buffer.length);
    }
    int n = in.read(buffer, limit, buffer.length - limit, number);
    limit += Math.max(n, 0);
    return n > 0;
  }

  private void skipByteOrderMark() {
    while (limit < BYTE_ORDER_MARK.length && fill()) {}
    if (limit >= BYTE_ORDER_MARK.length
        && Arrays.equals(
            buffer, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length)) {
      position = BYTE_ORDER_MARK.length;
    }
  }

  /// The buffer that holds the line from [#from] to [#to]; valid until the next line.
  byte[] bytes() {
    return buffer;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  int length() {
    return to - from;
  }

  /// The line's number, from 1.
  long number() {
    return number;
  }

  /// False for a last line without a line end: the writer may have been stopped in the middle of
  /// it.
  boolean ended() {
    return ended;
  }

  String text() {
    return new String(buffer, from, to - from, StandardCharsets.UTF_8);
  }

  /// The line with everything that ends it, for a parser in which line ends can be content.
  String rawText() {
    String text = new String(buffer, from, rawTo - from, StandardCharsets.UTF_8);
    return ended ? text + '\n' : text;
  }

  String source() {
    return source;
  }

  long position() {
    return in.position();
  }

  /// The exception for something wrong with this line.
  TraceException refuse(String found, String expected) {
    return new TraceException(source, number, found, expected);
  }

  @Override
  public void close() {
    in.close();
  }
}
