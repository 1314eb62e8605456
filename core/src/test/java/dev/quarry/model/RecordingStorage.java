package dev.quarry.model;

import dev.quarry.failure.MemoryException;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A storage that keeps the list of what it was asked for.
final class RecordingStorage<R> implements Storage<R> {
  private final Storage<R> inner;
  private final Map<StorageId, Long> sizes = new HashMap<>();
  final List<StorageCall> calls = new ArrayList<>();

  RecordingStorage(Storage<R> inner) {
    this.inner = inner;
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
