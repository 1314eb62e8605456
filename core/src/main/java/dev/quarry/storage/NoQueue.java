package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure.UnsupportedOperation;
import java.lang.foreign.MemorySegment;

/// The queue of a storage that only makes memory: it orders nothing and copies nothing.
final class NoQueue<R> implements CommandQueue<R> {
  @Override
  public boolean isSynchronous() {
    return true;
  }

  @Override
  public void write(MemorySegment source, R target) {
    throw noCopies();
  }

  @Override
  public void read(R source, MemorySegment target) {
    throw noCopies();
  }

  @Override
  public void copy(R source, R target) {
    throw noCopies();
  }

  @Override
  public void fill(R target, byte value) {
    throw noCopies();
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
  public void close() {}

  private static MemoryException noCopies() {
    return new MemoryException(new UnsupportedOperation("copies"));
  }
}
