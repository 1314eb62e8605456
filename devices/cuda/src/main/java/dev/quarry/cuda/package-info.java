/// CUDA memory by the driver's own interface: device memory allocated in one of three ways, pinned
/// host memory, streams, and events as fences.
@NullMarked
package dev.quarry.cuda;

import org.jspecify.annotations.NullMarked;
