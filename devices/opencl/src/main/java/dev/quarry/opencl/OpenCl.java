package dev.quarry.opencl;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// The calls of OpenCL 1.2 that this package makes. Handles are addresses; sizes and offsets are
/// bytes. Whatever is refused throws [ClException]. Every method may be called from any thread.
interface OpenCl {
  /// The platforms; none is an empty list.
  List<Long> platforms();

  /// The devices of a platform of any type; none is an empty list.
  List<Long> devices(long platform);

  /// A property of a device that is text.
  String text(long device, int property);

  /// A property of a device that is a number of four or eight bytes.
  long number(long device, int property);

  long createContext(long device);

  void retainContext(long context);

  void releaseContext(long context);

  /// An in-order queue.
  long createQueue(long context, long device);

  void releaseQueue(long queue);

  long createBuffer(long context, long size);

  long createSubBuffer(long buffer, long offset, long size);

  /// Buffers and sub-buffers. The driver deletes one when commands on their way have used it.
  void releaseBuffer(long buffer);

  /// The source is native memory, and kept until the command is done.
  void write(long queue, MemorySegment source, long buffer, long offset);

  /// The target is native memory, and kept until the command is done.
  void read(long queue, long buffer, long offset, MemorySegment target);

  void copy(long queue, long source, long sourceOffset, long target, long targetOffset, long size);

  void fill(long queue, long buffer, long offset, long size, byte value);

  /// An event behind everything put on a queue so far.
  long marker(long queue);

  /// Holds later commands of a queue up until an event is complete.
  void waitFor(long queue, long event);

  /// Hands what was put on a queue to the device.
  void flush(long queue);

  /// Waits until everything put on a queue is done.
  void finish(long queue);

  /// The status of an event: 0 when it is complete, negative when what it stands for failed.
  int status(long event);

  /// Waits until an event is complete or failed.
  void await(long event);

  void releaseEvent(long event);
}
