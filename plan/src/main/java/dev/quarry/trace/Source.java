package dev.quarry.trace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/// Bytes that can be read from the beginning as often as needed.
sealed interface Source extends AutoCloseable {
  /// A fresh stream of all bytes.
  InputStream open() throws IOException;

  /// How many bytes there are.
  long size() throws IOException;

  @Override
  default void close() throws IOException {}

  /// A regular file.
  record File(Path path) implements Source {
    @Override
    public InputStream open() throws IOException {
      return Files.newInputStream(path);
    }

    @Override
    public long size() throws IOException {
      return Files.size(path);
    }
  }

  /// Bytes in memory.
  @SuppressWarnings("ArrayRecordComponent") // never compared, and nobody else has the array
  record Bytes(byte[] bytes) implements Source {
    @Override
    public InputStream open() {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public long size() {
      return bytes.length;
    }
  }

  /// A copy of something that can be read once only, in a temporary file that is gone when this is
  /// closed. All streams read through the one channel by position, so they do not disturb each
  /// other.
  final class Spooled implements Source {
    private final FileChannel channel;

    private Spooled(FileChannel channel) {
      this.channel = channel;
    }

    static Spooled of(InputStream once) throws IOException {
      Path file = Files.createTempFile("quarry-", ".trace");
      FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      try {
        byte[] buffer = new byte[1 << 16];
        for (int n = once.read(buffer); n >= 0; n = once.read(buffer)) {
          ByteBuffer rest = ByteBuffer.wrap(buffer, 0, n);
          while (rest.hasRemaining()) {
            channel.write(rest);
          }
        }
        return new Spooled(channel);
      } catch (Throwable e) {
        channel.close();
        throw e;
      }
    }

    @Override
    public InputStream open() {
      return new InputStream() {
        private long position;

        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
          Objects.checkFromIndexSize(from, length, target.length);
          int n = channel.read(ByteBuffer.wrap(target, from, length), position);
          position += Math.max(n, 0);
          return n;
        }

        @Override
        public int available() throws IOException {
          return (int) Math.min(Integer.MAX_VALUE, channel.size() - position);
        }
      };
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
