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

/// The C library of the process.
final class NativeLibc implements Libc {
  private static final int PROT_NONE = 0;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
  private static final int SC_PAGESIZE = 30;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final MethodHandle mmap;
  private final MethodHandle munmap;
  private final MethodHandle mprotect;
  private final MethodHandle madvise;
  private final MethodHandle mlock;
  private final MethodHandle munlock;
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
    MethodHandle sysconf = call("sysconf", FunctionDescriptor.of(l, i));
    pageSize = invoke(state -> (long) sysconf.invokeExact(state, SC_PAGESIZE));
  }

  @SuppressWarnings("restricted") // granted by whoever opens a VirtualStorage
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
