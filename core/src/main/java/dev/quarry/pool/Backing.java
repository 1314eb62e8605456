package dev.quarry.pool;

import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.report.MemoryEvent;
import dev.quarry.report.MemoryListener;
import dev.quarry.storage.Mapping;
import dev.quarry.storage.Storage;
import dev.quarry.storage.StorageId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The storage side of one memory's pools: asks for pages, gives them back, and flushes only when
/// there is something to flush. Also where the pools tell the listener.
final class Backing {
  private final Storage<?> storage;
  private final @Nullable MemoryListener listener;
  private boolean unflushed;
  private long bytesReserved;

  Backing(Storage<?> storage, @Nullable MemoryListener listener) {
    this.storage = storage;
    this.listener = listener;
  }

  /// A page of `size` bytes. The storage is asked now, or not yet.
  ///
  /// @throws MemoryException when the storage refuses, or when the memory would reserve more bytes
  ///   than a long counts
  Page page(Pool pool, long size, Mapping mapping) {
    if (size > Long.MAX_VALUE - bytesReserved)
      throw new MemoryException(new MemoryFailure.OutOfMemory(size));
    Page page = new Page(pool, size);
    if (mapping == Mapping.EAGER) page.storage = storage.allocate(size);
    bytesReserved += size;
    return page;
  }

  /// Asks the storage for the memory of a page that was reserved lazily. When it refuses, the page
  /// stays unmapped.
  ///
  /// @throws MemoryException with [MemoryFailure.MappingFailed]
  StorageId map(Page page) {
    try {
      StorageId id = storage.allocate(page.size);
      page.storage = id;
      return id;
    } catch (MemoryException e) {
      throw new MemoryException(new MemoryFailure.MappingFailed(page.size, e.failure()), e);
    }
  }

  /// Gives pages up. The pool must have forgotten them: if the storage throws for one, the others
  /// are still given back.
  void drop(List<Page> pages) {
    RuntimeException failure = null;
    for (Page page : pages) {
      bytesReserved -= page.size;
      if (page.storage == null) continue;
      try {
        unflushed = true;
        storage.deallocate(page.storage);
      } catch (RuntimeException e) {
        if (failure == null) failure = e;
        else failure.addSuppressed(e);
      }
    }
    if (failure != null) throw failure;
  }

  /// Flushes the storage if something was given back since the last time.
  void flushIfNeeded() {
    if (unflushed) flush();
  }

  void flush() {
    storage.flush();
    unflushed = false;
  }

  boolean isObserved() {
    return listener != null;
  }

  void tell(MemoryEvent event) {
    if (listener != null) listener.on(event);
  }
}
