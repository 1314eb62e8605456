package dev.quarry.report;

/// Which memory of a device events come from.
///
/// @param name the memory's name in reports and logs
/// @param stream the number of the stream's slot, from 0
/// @param pinned whether it is the slot's pinned host memory, not its main memory
public record MemorySource(String name, int stream, boolean pinned) {}
