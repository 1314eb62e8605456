package dev.quarry.host;

import java.nio.file.Path;

/// The calls of Linux that the storages make. Addresses and lengths are bytes; each answers what
/// the kernel does: an errno, or 0 for success. [#reserve] answers an address, or an errno with its
/// sign changed.
interface Libc {
  /// Address space that nothing stands behind and nobody may touch.
  long reserve(long length);

  /// Gives address space back, with whatever stands behind it.
  int unmap(long address, long length);

  /// Lets the program read and write a range, or forbids both.
  int protect(long address, long length, boolean accessible);

  /// Tells the kernel what a range is for.
  int advise(long address, long length, Advice advice);

  /// Keeps a range in memory.
  int lock(long address, long length);

  /// Ends what [#lock] did.
  int unlock(long address, long length);

  /// Makes a file of zeros that all have their place on the disk. What is refused leaves no file.
  int createFile(Path file, long length);

  /// The bytes of a page of the kernel.
  long pageSize();

  /// What can be told about a range, with the kernel's number for it.
  enum Advice {
    /// Its pages are not needed: they are freed at once, and read as zero when touched again.
    DROP(4),
    /// Huge pages are welcome.
    HUGE_PAGES(14),
    /// Huge pages are not.
    SMALL_PAGES(15),
    /// Every page is needed now; from Linux 5.14 on.
    POPULATE(23);

    final int number;

    Advice(int number) {
      this.number = number;
    }
  }
}
