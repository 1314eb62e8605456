package dev.quarry.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The driver that `src/test/c/driver.c` stands in for, compiled once for all tests.
@SuppressWarnings("restricted")
final class DriverDouble {
  static final long MEMORY = 256L << 20;

  private static final Path SOURCE = Path.of("src/test/c/driver.c");
  private static final Path LIBRARY =
      Path.of("target/driver-double/libcuda-double.so").toAbsolutePath();
  private static final @Nullable String REASON = compile();

  private static @Nullable String compile() {
    try {
      Files.createDirectories(LIBRARY.getParent());
      Process compiler =
          new ProcessBuilder(
                  "gcc",
                  "-shared",
                  "-fPIC",
                  "-fvisibility=hidden",
                  "-std=gnu17",
                  "-O1",
                  "-Wall",
                  "-Wextra",
                  "-Werror",
                  "-o",
                  LIBRARY.toString(),
                  SOURCE.toString(),
                  "-lpthread")
              .redirectErrorStream(true)
              .start();
      String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (compiler.waitFor() != 0) throw new IllegalStateException(output);
      return null;
    } catch (IOException e) {
      return e.getMessage();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Skips the test where no C compiler is, and says why.
  static void orSkip() {
    assumeTrue(REASON == null, () -> "the double of CUDA's driver needs gcc: " + REASON);
  }

  static Path library() {
    return LIBRARY;
  }

  private final SymbolLookup symbols = SymbolLookup.libraryLookup(LIBRARY, Arena.global());

  private interface Call<T> {
    T run(Linker linker) throws Throwable;
  }

  private <T> T call(Call<T> call) {
    try {
      return call.run(Linker.nativeLinker());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /// A machine with one device, where nothing was called yet.
  DriverDouble() {
    this(1);
  }

  /// A machine with devices of [#MEMORY] bytes; the last of several has neither virtual memory
  /// management nor pools.
  DriverDouble(int devices) {
    call(
        linker -> {
          linker
              .downcallHandle(
                  symbols.findOrThrow("double_reset"),
                  FunctionDescriptor.ofVoid(JAVA_INT, JAVA_LONG))
              .invokeExact(devices, MEMORY);
          return true;
        });
  }

  Cuda cuda() {
    return Cuda.load(LIBRARY.toString());
  }

  /// Makes a call fail, counted from now on from 0.
  ///
  /// @param forEver whether all later ones fail, too
  void fail(long number, int status, boolean forEver) {
    call(
        linker -> {
          linker
              .downcallHandle(
                  symbols.findOrThrow("double_fail"),
                  FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_INT))
              .invokeExact(number, status, forEver ? 1 : 0);
          return true;
        });
  }

  /// The calls made since [#fail].
  long calls() {
    return call(
        linker ->
            (long)
                linker
                    .downcallHandle(
                        symbols.findOrThrow("double_calls"), FunctionDescriptor.of(JAVA_LONG))
                    .invokeExact());
  }

  /// The name of the call that [#fail] made fail; empty when there was none.
  String failed() {
    return text("double_failed");
  }

  /// What a program did first that a real driver does not allow; empty when it did nothing such.
  String misuse() {
    return text("double_misuse");
  }

  private String text(String function) {
    return call(
        linker ->
            ((MemorySegment)
                    linker
                        .downcallHandle(
                            symbols.findOrThrow(function), FunctionDescriptor.of(ADDRESS))
                        .invokeExact())
                .reinterpret(256)
                .getString(0));
  }

  /// What was made and not given back, by kind; kinds of which there is nothing left out.
  Map<String, Long> held() {
    List<String> kinds =
        List.of("streams", "events", "pools", "physicals", "ranges", "contexts", "pushes", "bytes");
    Map<String, Long> held = new TreeMap<>();
    for (int i = 0; i < kinds.size(); i++) {
      int kind = i;
      long count =
          call(
              linker ->
                  (long)
                      linker
                          .downcallHandle(
                              symbols.findOrThrow("double_held"),
                              FunctionDescriptor.of(JAVA_LONG, JAVA_INT))
                          .invokeExact(kind));
      if (count != 0) held.put(kinds.get(i), count);
    }
    return held;
  }
}
