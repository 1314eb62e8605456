package dev.quarry.storage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A queue over host memory, which runs each command at once, on the thread that puts it here.
public final class HostQueue implements CommandQueue<MemorySegment> {
  private @Nullable List<Runnable> recorded;

  /// A queue with nothing to wait for.
  public HostQueue() {}

  @Override
  public boolean isSynchronous() {
    return true;
  }

  @Override
  public void write(MemorySegment source, MemorySegment target) {
    run(() -> target.copyFrom(source));
  }

  @Override
  public void read(MemorySegment source, MemorySegment target) {
    run(() -> target.copyFrom(source));
  }

  @Override
  public void copy(MemorySegment source, MemorySegment target) {
    run(() -> target.copyFrom(source));
  }

  @Override
  public void fill(MemorySegment target, byte value) {
    run(() -> target.fill(value));
  }

  @Override
  public void run(Runnable work) {
    if (recorded != null) recorded.add(work);
    else work.run();
  }

  @Override
  public Fence fence() {
    return Fence.PASSED;
  }

  @Override
  public void waitFor(Fence fence) {
    fence.await();
  }

  @Override
  public void beginRecording() {
    recorded = new ArrayList<>();
  }

  @Override
  public Recording endRecording() {
    List<Runnable> commands = recorded == null ? List.of() : List.copyOf(recorded);
    recorded = null;
    return new Recording() {
      @Override
      public void replay() {
        commands.forEach(HostQueue.this::run);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void dropRecording() {
    recorded = null;
  }

  @Override
  public void close() {}
}
