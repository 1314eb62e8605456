package dev.quarry;

/// Where an allocation lies at this moment, for reports and checksums: explicit cleanups renumber
/// pages.
///
/// @param pool the pool's number in the layout, or [dev.quarry.report.MemoryReport#PERSISTENT]
/// @param page the page's number in the pool
/// @param offset where the allocation starts in the page, in bytes
public record Placement(int pool, int page, long offset) {}
