package dev.quarry.opencl;

/// A window of bytes inside a `cl_mem`: what a kernel gets is the buffer and the offset. Immutable.
///
/// @param buffer the `cl_mem`; 0 for an allocation of no bytes
/// @param offset where the window starts in it, in bytes
/// @param size the bytes in the window
public record ClWindow(long buffer, long offset, long size) {}
