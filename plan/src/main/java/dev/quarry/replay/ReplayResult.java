package dev.quarry.replay;

import dev.quarry.Placement;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.report.MemoryReport;
import dev.quarry.storage.Region;
import java.util.HexFormat;
import java.util.Optional;

/// What a replay showed. Sizes are bytes.
///
/// @param report the pools at the end of the trace, with what was never freed still live
/// @param events the events of the trace
/// @param allocations the allocations among them
/// @param load the largest live sum of sizes asked for: what no layout can undercut
/// @param reservedPeak the most bytes of pages held at once
/// @param paddingAtPeak the bytes of alignment padding when that many were first held
/// @param firstPageEnd how far into the first page of any pool allocations reached
/// @param spills requests that a full capped pool passed on
/// @param refusals requests that were refused
/// @param firstRefusal the first of them
/// @param checksums of all placements, when they were asked for
/// @param backed what a real storage gave, when there was one
public record ReplayResult(
    MemoryReport report,
    long events,
    long allocations,
    long load,
    long reservedPeak,
    long paddingAtPeak,
    long firstPageEnd,
    long spills,
    long refusals,
    Optional<Refusal> firstRefusal,
    Optional<Checksums> checksums,
    Optional<Backed> backed) {
  /// By how much of LOAD the bytes reserved exceed it; 0 when nothing was ever live.
  public double overLoad() {
    return load == 0 ? 0 : (double) reservedPeak / load - 1;
  }

  /// A request that was refused.
  ///
  /// @param event the number of the event, from 1
  /// @param name the allocation's tag, or its id where it has none
  /// @param size the bytes asked for
  /// @param failure why
  public record Refusal(long event, String name, long size, MemoryFailure failure) {
    /// One sentence.
    public String message() {
      return "event " + event + ": allocation " + name + ": " + failure.message();
    }
  }

  /// What a real storage gave.
  ///
  /// @param allocatedPeak the most bytes that it had allocated at once
  /// @param pagesTouched the pages that were filled
  public record Backed(long allocatedPeak, long pagesTouched) {}

  /// Two sums over the placements of all allocations, in order; runs that place alike have the
  /// same. FNV-1a over whole 64-bit words.
  ///
  /// @param byPlace over pool, page and offset
  /// @param byStorage over the number of the storage's allocation, counted from 0, and the offset
  public record Checksums(long byPlace, long byStorage) {
    /// The sums over nothing.
    public static final Checksums START = new Checksums(0xcbf29ce484222325L, 0xcbf29ce484222325L);

    /// These sums with one placement more, taken right after the reservation.
    public Checksums with(Placement placement, Region region) {
      return new Checksums(
          mix(mix(mix(byPlace, placement.pool()), placement.page()), placement.offset()),
          mix(mix(byStorage, region.id().value()), region.offset()));
    }

    private static long mix(long hash, long word) {
      return (hash ^ word) * 0x100000001b3L;
    }

    /// Both sums in hexadecimal: by place, then by storage.
    @Override
    public String toString() {
      HexFormat hex = HexFormat.of();
      return hex.toHexDigits(byPlace) + " " + hex.toHexDigits(byStorage);
    }
  }
}
