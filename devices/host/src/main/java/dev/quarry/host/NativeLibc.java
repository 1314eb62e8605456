package dev.quarry.host;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/// The C library of the process.
final class NativeLibc implements Libc {
  private static final int PROT_NONE = 0;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
  private static final int SC_PAGESIZE = 30;
  private static final int OWNER_READS_AND_WRITES = 0600;
  private static final int EINTR = 4;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final MethodHandle mmap;
  private final MethodHandle munmap;
  private final MethodHandle mprotect;
  private final MethodHandle madvise;
  private final MethodHandle mlock;
  private final MethodHandle munlock;
  private final MethodHandle creat;
  private final MethodHandle posixFallocate;
  private final MethodHandle close;
  private final MethodHandle unlink;
  private final long pageSize;

  /// @throws IllegalCallerException where native access is denied
  /// @throws java.util.NoSuchElementException where the C library lacks a call
  NativeLibc() {
    var i = ValueLayout.JAVA_INT;
    var l = ValueLayout.JAVA_LONG;
    mmap = call("mmap", FunctionDescriptor.of(l, l, l, i, i, i, l));
    munmap = call("munmap", FunctionDescriptor.of(i, l, l));
    mprotect = call("mprotect", FunctionDescriptor.of(i, l, l, i));
    madvise = call("madvise", FunctionDescriptor.of(i, l, l, i));
    mlock = call("mlock", FunctionDescriptor.of(i, l, l));
    munlock = call("munlock", FunctionDescriptor.of(i, l, l));
    creat = call("creat", FunctionDescriptor.of(i, ValueLayout.ADDRESS, i));
    posixFallocate = call("posix_fallocate", FunctionDescriptor.of(i, i, l, l));
    close = call("close", FunctionDescriptor.of(i, i));
    unlink = call("unlink", FunctionDescriptor.of(i, ValueLayout.ADDRESS));
    MethodHandle sysconf = call("sysconf", FunctionDescriptor.of(l, i));
    pageSize = invoke(state -> (long) sysconf.invokeExact(state, SC_PAGESIZE));
  }

  @SuppressWarnings("restricted") // granted by whoever opens a storage
  private static MethodHandle call(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), type, Linker.Option.captureCallState("errno"));
  }

  @Override
  public long reserve(long length) {
    return invoke(
        state ->
            (long)
                mmap.invokeExact(
                    state, 0L, length, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L));
  }

  @Override
  public int unmap(long address, long length) {
    return status(state -> (int) munmap.invokeExact(state, address, length));
  }

  @Override
  public int protect(long address, long length, boolean accessible) {
    int rights = accessible ? PROT_READ_WRITE : PROT_NONE;
    return status(state -> (int) mprotect.invokeExact(state, address, length, rights));
  }

  @Override
  public int advise(long address, long length, Advice advice) {
    return status(state -> (int) madvise.invokeExact(state, address, length, advice.number));
  }

  @Override
  public int lock(long address, long length) {
    return status(state -> (int) mlock.invokeExact(state, address, length));
  }

  @Override
  public int unlock(long address, long length) {
    return status(state -> (int) munlock.invokeExact(state, address, length));
  }

  @Override
  public int createFile(Path file, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file.toAbsolutePath().toString());
      int descriptor =
          (int) invoke(state -> (int) creat.invokeExact(state, name, OWNER_READS_AND_WRITES));
      if (descriptor < 0) return -descriptor;
      int errno = reserveOnDisk(descriptor, length);
      int closed = status(state -> (int) close.invokeExact(state, descriptor));
      if (errno == 0) errno = closed;
      if (errno != 0) status(state -> (int) unlink.invokeExact(state, name));
      return errno;
    }
  }

  /// The one call that answers the errno itself. A signal may interrupt it.
  private int reserveOnDisk(int descriptor, long length) {
    int errno;
    do {
      errno =
          (int) invoke(state -> (int) posixFallocate.invokeExact(state, descriptor, 0L, length));
    } while (errno == EINTR);
    return errno;
  }

  @Override
  public long pageSize() {
    return pageSize;
  }

  private interface Call {
    long run(MemorySegment state) throws Throwable;
  }

  private static int status(Call call) {
    return (int) -invoke(call);
  }

  /// What the call answered, or the errno with its sign changed where it answered -1.
  private static long invoke(Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      long answer = call.run(state);
      return answer == -1 ? -(int) ERRNO.get(state, 0L) : answer;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("native calls throw nothing", e);
    }
  }
}
