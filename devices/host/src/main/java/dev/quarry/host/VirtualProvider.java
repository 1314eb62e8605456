package dev.quarry.host;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.DeviceInfo;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Offers [VirtualStorage] on Linux.
public final class VirtualProvider implements StorageProvider {
  private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  /// Made by the service loader.
  public VirtualProvider() {}

  /// The calls of this system.
  ///
  /// @throws UnsupportedOperationException with the phrase that completes "not available, because"
  static Libc libc() {
    String system = System.getProperty("os.name", "an unknown system");
    if (!system.equals("Linux"))
      throw new UnsupportedOperationException("it needs Linux and this is " + system);
    try {
      return new NativeLibc();
    } catch (IllegalCallerException e) {
      throw new UnsupportedOperationException(
          "native access is denied: start the JVM with --enable-native-access=" + moduleName(), e);
    } catch (RuntimeException | LinkageError e) {
      throw new UnsupportedOperationException("the C library can not be called: " + e, e);
    }
  }

  /// The calls of this system for a storage.
  ///
  /// @param what the storage's kind of memory
  /// @throws MemoryException with [MemoryFailure.Unknown] where it is not available
  static Libc libc(String what) {
    try {
      return libc();
    } catch (UnsupportedOperationException e) {
      throw new MemoryException(
          new MemoryFailure.Unknown(what + " is not available, because " + e.getMessage()), e);
    }
  }

  private static String moduleName() {
    String name = VirtualProvider.class.getModule().getName();
    return name == null ? "ALL-UNNAMED" : name;
  }

  @Override
  public String name() {
    return "virtual";
  }

  @Override
  public Availability probe() {
    Libc libc;
    try {
      libc = libc();
    } catch (UnsupportedOperationException e) {
      return new Availability.Unavailable(String.valueOf(e.getMessage()));
    }
    MachineMemory memory = MachineMemory.read();
    List<String> notes = new ArrayList<>();
    notes.add("pages of " + libc.pageSize() + " bytes");
    notes.add("huge pages: " + hugePages());
    return new Availability.Available(
        List.of(
            new DeviceInfo(
                "host memory of the system",
                64,
                memory.total().orElse(Long.MAX_VALUE),
                memory.total(),
                memory.free(),
                notes)));
  }

  /// The choice that the kernel puts in brackets.
  private static String hugePages() {
    try {
      return Files.readString(HUGE_PAGES).replaceAll("(?s).*\\[(\\w+)].*", "$1");
    } catch (IOException e) {
      return "unknown";
    }
  }

  @Override
  public Storage<?> open(int device) {
    if (device != 0)
      throw new MemoryException(new MemoryFailure.Unknown("there is no device virtual:" + device));
    return VirtualStorage.open();
  }
}
