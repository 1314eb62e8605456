package dev.quarry.storage;

import dev.quarry.failure.MemoryException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A storage that keeps the list of what it was asked for.
///
/// @param <R> the resource type of the storage that does it
public final class RecordingStorage<R> implements Storage<R> {
  private final Storage<R> inner;
  private final Map<StorageId, Long> sizes = new HashMap<>();
  private final List<StorageCall> calls = new ArrayList<>();

  /// Passes every call on to this storage.
  public RecordingStorage(Storage<R> inner) {
    this.inner = inner;
  }

  /// What was asked for since the caller last cleared this list, in order.
  public List<StorageCall> calls() {
    return calls;
  }

  @Override
  public long alignment() {
    return inner.alignment();
  }

  @Override
  public StorageId allocate(long size) {
    try {
      StorageId id = inner.allocate(size);
      sizes.put(id, size);
      calls.add(new StorageCall(StorageCall.What.ALLOCATE, size));
      return id;
    } catch (MemoryException e) {
      calls.add(new StorageCall(StorageCall.What.REFUSE, size));
      throw e;
    }
  }

  @Override
  public R get(Region region) {
    return inner.get(region);
  }

  @Override
  public void deallocate(StorageId id) {
    inner.deallocate(id);
    calls.add(new StorageCall(StorageCall.What.DEALLOCATE, sizes.remove(id)));
  }

  @Override
  public void flush() {
    inner.flush();
    calls.add(new StorageCall(StorageCall.What.FLUSH, 0));
  }

  @Override
  public long bytesAllocated() {
    return inner.bytesAllocated();
  }

  @Override
  public void close() {
    inner.close();
  }
}
