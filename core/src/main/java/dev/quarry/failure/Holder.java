package dev.quarry.failure;

/// What live allocations of one label hold, at one moment.
///
/// @param label the label; empty for allocations without one
/// @param allocations how many there are
/// @param bytes the bytes they asked for
public record Holder(String label, long allocations, long bytes) {}
