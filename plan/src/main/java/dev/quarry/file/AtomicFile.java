package dev.quarry.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// A file that is there completely or not at all: written under a temporary name in the same
/// directory, forced to the disk, then renamed. What exists already and is no regular file (a
/// terminal, a pipe) is written to directly, since replacing it would be worse than half an output.
public final class AtomicFile {
  /// Writes a whole file.
  public static void write(Path path, byte[] content) throws IOException {
    AtomicFile file = create(path);
    try {
      file.stream().write(content);
      file.commit();
    } catch (IOException | RuntimeException e) {
      file.discard();
      throw e;
    }
  }

  private final Path target;
  private final @Nullable Path temporary;
  private final FileChannel channel;

  private AtomicFile(Path target, @Nullable Path temporary, FileChannel channel) {
    this.target = target;
    this.temporary = temporary;
    this.channel = channel;
  }

  public static AtomicFile create(Path path) throws IOException {
    Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      return new AtomicFile(target, null, FileChannel.open(target, StandardOpenOption.WRITE));
    }
    String random = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    Path temporary = target.resolveSibling("." + target.getFileName() + "." + random + ".tmp");
    return new AtomicFile(
        target,
        temporary,
        FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
  }

  public OutputStream stream() {
    return Channels.newOutputStream(channel);
  }

  public void commit() throws IOException {
    if (temporary == null) {
      channel.close();
      return;
    }
    channel.force(true);
    channel.close();
    Files.move(
        temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory();
  }

  /// Makes the new name last as well. Not every system lets a directory be opened; there the name
  /// is as safe as it can be made.
  private void forceDirectory() {
    try (FileChannel directory = FileChannel.open(target.resolveSibling("."))) {
      directory.force(true);
    } catch (IOException _) {
      // The file itself is on the disk.
    }
  }

  public void discard() {
    try {
      channel.close();
      if (temporary != null) {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException _) {
      // A leftover temporary file is all that can remain; the target was never touched.
    }
  }
}
