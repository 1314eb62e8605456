package dev.quarry.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.ReleaseFailed;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/// Gives memory back while a native call is inside of it, which is a sort that calls back.
final class InsideOfSegments {
  private static final FunctionDescriptor COMPARATOR =
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
  private static final FunctionDescriptor QSORT =
      FunctionDescriptor.ofVoid(
          ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);

  private final Storage<MemorySegment> storage;
  private final StorageId busy;
  private final List<Throwable> refusals = new ArrayList<>();

  private InsideOfSegments(Storage<MemorySegment> storage) {
    this.storage = storage;
    this.busy = storage.allocate(100);
  }

  /// Checks that the storage refuses until the call is over, loses nothing by it, and then closes.
  static void check(Storage<MemorySegment> storage) throws Throwable {
    new InsideOfSegments(storage).check();
  }

  @SuppressWarnings({"restricted", "unused"}) // the comparator is found by its name
  private void check() throws Throwable {
    StorageId idle = storage.allocate(100);
    MemorySegment idleBytes = storage.get(new Region(idle, 0, 100));
    try (Arena arena = Arena.ofConfined()) {
      Linker linker = Linker.nativeLinker();
      MemorySegment comparator =
          linker.upcallStub(
              MethodHandles.lookup()
                  .findVirtual(
                      InsideOfSegments.class,
                      "compare",
                      MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class))
                  .bindTo(this),
              COMPARATOR,
              arena);
      linker
          .downcallHandle(linker.defaultLookup().findOrThrow("qsort"), QSORT)
          .invokeExact(storage.get(new Region(busy, 0, 100)), 2L, 1L, comparator);
    }
    assertThat(refusals)
        .hasSizeGreaterThanOrEqualTo(2)
        .allSatisfy(
            refusal ->
                assertThat(((MemoryException) refusal).failure())
                    .isInstanceOf(ReleaseFailed.class));
    assertThat(idleBytes.scope().isAlive()).as("what nobody is inside of").isFalse();
    storage.close();
    assertThat(storage.bytesAllocated()).isZero();
  }

  /// An exception that leaves it ends the process.
  @SuppressWarnings("unused")
  private int compare(MemorySegment left, MemorySegment right) {
    refusals.add(catchThrowable(() -> storage.deallocate(busy)));
    refusals.add(catchThrowable(storage::close));
    return 0;
  }
}
