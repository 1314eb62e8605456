package dev.quarry.model;

/// Something a storage was asked to do.
///
/// @param what the request
/// @param bytes the size of the allocation it was about; 0 for a flush
record StorageCall(What what, long bytes) {
  enum What {
    ALLOCATE,
    REFUSE,
    DEALLOCATE,
    FLUSH
  }

  @Override
  public String toString() {
    return what == What.FLUSH ? "flush" : what.name().toLowerCase() + " " + bytes;
  }
}
