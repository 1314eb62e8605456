package dev.quarry;

import java.util.List;

/// A scope in which a program records work to be replayed: everything reserved in it comes from the
/// persistent pool, so that it keeps its place, and cleanups do nothing.
///
/// A capture begins *priming*: nothing handed out is used again, so that as many places exist as
/// the work holds in all. After [#endPriming] they are used again as a replay will use them. [#end]
/// gives the handles that keep those places for as long as the recorded graph lives. Belongs to the
/// thread that owns the memory.
///
/// ```java
/// try (GraphCapture capture = memory.capture()) {
///   warmUp();
///   capture.endPriming();
///   record();
///   pins = capture.end();
/// }
/// ```
public final class GraphCapture implements AutoCloseable {
  private final DeviceMemory<?> memory;

  GraphCapture(DeviceMemory<?> memory) {
    this.memory = memory;
  }

  /// Lets what was handed out so far be used again. Does nothing once the capture has ended.
  public void endPriming() {
    memory.endPriming();
  }

  /// Ends the capture.
  ///
  /// @return a handle for each allocation that the capture handed out and that is still the latest
  ///   in its place, to be closed by the caller when the graph goes; empty when the capture has
  ///   ended already
  public List<Handle> end() {
    return memory.endCapture();
  }

  /// Ends the capture and keeps nothing, unless [#end] was called.
  @Override
  public void close() {
    end().forEach(Handle::close);
  }
}
