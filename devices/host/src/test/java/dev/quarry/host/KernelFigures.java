package dev.quarry.host;

import dev.quarry.storage.Region;
import dev.quarry.storage.StorageId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What the kernel says that this process holds, page by page.
final class KernelFigures {
  private static final int PAGE = 4096;

  private KernelFigures() {}

  /// The bytes of the pages of an allocation that are in memory.
  static long resident(VirtualStorage storage, StorageId id, long size) {
    return residentBytes(storage.get(new Region(id, 0, size)).address(), size);
  }

  /// The bytes of the pages of a range that are in memory or swapped out.
  static long residentBytes(long address, long size) {
    int pages = (int) Math.ceilDiv(size, PAGE);
    ByteBuffer entries = ByteBuffer.allocate(pages * 8).order(ByteOrder.nativeOrder());
    try (FileChannel pagemap = FileChannel.open(Path.of("/proc/self/pagemap"))) {
      pagemap.read(entries, address / PAGE * 8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long held = 0;
    for (int i = 0; i < pages; i++) if (entries.getLong(i * 8) >>> 62 != 0) held += PAGE;
    return held;
  }

  /// The mappings of the process.
  static long mappings() {
    return mappings("");
  }

  /// The mappings of the process that have a text in their line.
  static long mappings(String text) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(text)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
