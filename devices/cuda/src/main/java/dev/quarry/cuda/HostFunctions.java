package dev.quarry.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// Code of the program that the driver calls: one native function for all, with a number for which.
final class HostFunctions {
  private static final Map<Long, Runnable> WAITING = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong();

  private HostFunctions() {}

  /// Made when it is first used.
  private static final class Stub {
    static final MemorySegment FUNCTION = make();

    @SuppressWarnings("restricted") // granted by whoever uses CUDA
    private static MemorySegment make() {
      try {
        return Linker.nativeLinker()
            .upcallStub(
                MethodHandles.lookup()
                    .findStatic(
                        HostFunctions.class, "call", MethodType.methodType(void.class, long.class)),
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG),
                Arena.global());
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("the method is below", e);
      }
    }
  }

  static MemorySegment function() {
    return Stub.FUNCTION;
  }

  static long add(Runnable code) {
    long number = NEXT.getAndIncrement();
    WAITING.put(number, code);
    return number;
  }

  static void drop(long number) {
    WAITING.remove(number);
  }

  /// An exception must not reach the driver, which would end the process.
  static void call(long number) {
    Runnable code = WAITING.remove(number);
    if (code == null) return;
    try {
      code.run();
    } catch (Throwable e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
