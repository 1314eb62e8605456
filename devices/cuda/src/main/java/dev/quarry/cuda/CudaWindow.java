package dev.quarry.cuda;

/// A window of bytes of device memory. Immutable.
///
/// @param address a `CUdeviceptr`: what kernels get; 0 for an allocation of no bytes
/// @param size the bytes in the window
public record CudaWindow(long address, long size) {}
