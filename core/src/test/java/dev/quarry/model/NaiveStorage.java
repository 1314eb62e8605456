package dev.quarry.model;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.storage.StorageCall;
import java.util.ArrayList;
import java.util.List;

/// A device of limited capacity, as a list of allocations and a log of what was asked of it.
final class NaiveStorage {
  private final long capacity;
  private final List<Long> sizes = new ArrayList<>();
  private final List<Boolean> held = new ArrayList<>();
  private boolean unflushed;

  final List<StorageCall> calls = new ArrayList<>();

  NaiveStorage(long capacity) {
    this.capacity = capacity;
  }

  /// Makes an allocation and gives its number; they count from 0.
  long allocate(long size) {
    MemoryFailure failure = null;
    if (size > capacity) failure = new MemoryFailure.BufferTooBig(size);
    else if (size > capacity - bytes()) failure = new MemoryFailure.OutOfMemory(size);
    calls.add(
        new StorageCall(
            failure == null ? StorageCall.What.ALLOCATE : StorageCall.What.REFUSE, size));
    if (failure != null) throw new MemoryException(failure);
    sizes.add(size);
    held.add(true);
    return sizes.size() - 1;
  }

  void deallocate(long number) {
    held.set((int) number, false);
    calls.add(new StorageCall(StorageCall.What.DEALLOCATE, sizes.get((int) number)));
    unflushed = true;
  }

  void flush() {
    calls.add(new StorageCall(StorageCall.What.FLUSH, 0));
    unflushed = false;
  }

  void flushIfNeeded() {
    if (unflushed) flush();
  }

  long bytes() {
    long bytes = 0;
    for (int i = 0; i < sizes.size(); i++) {
      if (held.get(i)) bytes += sizes.get(i);
    }
    return bytes;
  }
}
