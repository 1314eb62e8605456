/// Kernels of OpenCL on slices of pooled memory.
@NullMarked
package dev.quarry.examples.opencl;

import org.jspecify.annotations.NullMarked;
