/// OpenCL memory: one `cl_mem` for each device allocation, command queues as streams, events as
/// fences.
@NullMarked
package dev.quarry.opencl;

import org.jspecify.annotations.NullMarked;
