package dev.quarry;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.List;

/// A scope that allocates memory segments from a memory on the host, for code written against the
/// foreign-memory API.
///
/// Closing it frees everything it allocated. Segments stay readable after that, since they lie in
/// pages that live on; using them then reads another allocation's bytes, so keep the scope open for
/// as long as its segments are used. Because a segment must exist, an allocation is mapped at once,
/// in a dry run too: measure with handles.
///
/// Belongs to the thread that owns the memory.
///
/// ```java
/// try (HostSegments segments = HostSegments.zeroed(memory)) {
///   MemorySegment numbers = segments.allocate(ValueLayout.JAVA_INT, 1, 2, 3);
/// }
/// ```
public final class HostSegments implements SegmentAllocator, AutoCloseable {
  private final DeviceMemory<MemorySegment> memory;
  private final boolean zeroed;
  private final List<Handle> handles = new ArrayList<>();

  private HostSegments(DeviceMemory<MemorySegment> memory, boolean zeroed) {
    this.memory = memory;
    this.zeroed = zeroed;
  }

  /// A scope whose segments begin as zeros, as an arena's do.
  public static HostSegments zeroed(DeviceMemory<MemorySegment> memory) {
    return new HostSegments(memory, true);
  }

  /// A scope whose segments begin with whatever the memory held before; cheaper for large ones.
  public static HostSegments uninitialized(DeviceMemory<MemorySegment> memory) {
    return new HostSegments(memory, false);
  }

  /// @throws IllegalArgumentException when the size is negative, or the alignment is no power of
  ///   two
  /// @throws dev.quarry.failure.MemoryException when the memory refuses
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    if (byteSize < 0) throw new IllegalArgumentException("byteSize (" + byteSize + ") is negative");
    if (Long.bitCount(byteAlignment) != 1 || byteAlignment < 0) {
      throw new IllegalArgumentException(
          "byteAlignment (" + byteAlignment + ") is no power of two");
    }
    long slack = Math.max(0, byteAlignment - guaranteedAlignment());
    Handle handle = memory.reserve(Math.addExact(byteSize, slack));
    handles.add(handle);
    MemorySegment segment = memory.resource(handle);
    long skip = -segment.address() & (byteAlignment - 1);
    MemorySegment aligned = segment.asSlice(skip, byteSize);
    return zeroed ? aligned.fill((byte) 0) : aligned;
  }

  /// The power of two that every address here is a multiple of.
  private long guaranteedAlignment() {
    long offsets = Long.lowestOneBit(memory.properties().alignment());
    return Math.min(offsets, Long.lowestOneBit(memory.storage().alignment()));
  }

  /// Frees everything this scope allocated. Closing again does nothing.
  @Override
  public void close() {
    handles.forEach(Handle::close);
    handles.clear();
  }
}
