package dev.quarry.report;

import dev.quarry.layout.PoolKind;

/// One pool, at one moment. Immutable.
///
/// The two marks, `pagesPeak` and `largestAlloc`, only grow until a layout is installed.
///
/// @param spec what the pool is, with its effective numbers
/// @param usage its allocations and bytes
/// @param pages device allocations held now
/// @param pagesPeak the most device allocations held at once
/// @param pagesUnmapped device allocations held that have no device memory behind them yet
/// @param largestAlloc the largest request served, in bytes
/// @param largestFree the longest free extent held, in bytes; 0 when nothing is free, and in direct
///   and persistent pools, which reuse a page for its exact size only
public record PoolReport(
    PoolKind spec,
    MemoryUsage usage,
    int pages,
    int pagesPeak,
    int pagesUnmapped,
    long largestAlloc,
    long largestFree) {}
