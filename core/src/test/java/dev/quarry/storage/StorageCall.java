package dev.quarry.storage;

/// Something a storage was asked to do.
///
/// @param what the request
/// @param bytes the size of the allocation it was about; 0 for a flush
public record StorageCall(What what, long bytes) {
  /// The kind of request.
  public enum What {
    /// An allocation that was made.
    ALLOCATE,
    /// An allocation that was refused.
    REFUSE,
    /// An allocation given back.
    DEALLOCATE,
    /// A flush.
    FLUSH
  }

  @Override
  public String toString() {
    return what == What.FLUSH ? "flush" : what.name().toLowerCase() + " " + bytes;
  }
}
