package dev.quarry.failure;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/// A device gave no memory for a request although everything that could be reclaimed was. Sizes are
/// bytes; what is counted is the memory of the stream that asked, at the moment of the last try.
///
/// @param size the bytes asked for
/// @param memory the name of the memory that was asked
/// @param inUse the bytes that live allocations asked for
/// @param padding the bytes added to them for alignment
/// @param reserved the bytes of device allocations held
/// @param cap the most bytes the pools may hold; empty where one may grow without limit
/// @param largestFree the longest free extent
/// @param reservedElsewhere the bytes of device allocations that other streams hold
/// @param pools the pools in routing order, the persistent pool last
/// @param holders the live allocations by label, those with the most bytes first, five at most
/// @param last what the last try was refused with
/// @param help what would help, a sentence for people
public record Exhausted(
    long size,
    String memory,
    long inUse,
    long padding,
    long reserved,
    OptionalLong cap,
    long largestFree,
    long reservedElsewhere,
    List<Pool> pools,
    List<Holder> holders,
    MemoryFailure last,
    String help)
    implements MemoryFailure {
  /// Copies the lists.
  public Exhausted {
    pools = List.copyOf(pools);
    holders = List.copyOf(holders);
  }

  /// The figures of one pool.
  ///
  /// @param kind what the pool is, for people
  /// @param allocations live allocations
  /// @param inUse the bytes they asked for
  /// @param reserved the bytes of pages held
  /// @param cap the most bytes of pages it may hold; empty where there is no limit
  /// @param largestFree its longest free extent
  public record Pool(
      String kind,
      long allocations,
      long inUse,
      long reserved,
      OptionalLong cap,
      long largestFree) {}

  /// The numbers in one line, then what was refused, who holds the memory, and what would help.
  @Override
  public String message() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s has no room for %d bytes: %d in use, %d padding, %d reserved%s, largest free extent"
                + " %d, %d reserved by other streams",
            memory,
            size,
            inUse,
            padding,
            reserved,
            cap.isPresent() ? " of at most " + cap.getAsLong() : "",
            largestFree,
            reservedElsewhere));
    text.append("\n  refused: ").append(last.message());
    for (Pool pool : pools) {
      if (pool.reserved == 0 && pool.cap.isEmpty()) continue;
      text.append("\n  ").append(pool.kind).append(": ").append(pool.inUse).append(" in use by ");
      text.append(pool.allocations).append(", ").append(pool.reserved).append(" reserved");
      text.append(", largest free extent ").append(pool.largestFree);
    }
    for (Holder holder : holders) {
      text.append("\n  held by ");
      text.append(holder.label().isEmpty() ? "buffers without a label" : holder.label());
      text.append(": ").append(holder.bytes()).append(" in ").append(holder.allocations());
    }
    return text.append("\n  what would help: ").append(help).toString();
  }

  @Override
  public Remedy remedy() {
    return Remedy.RELEASE_AND_RETRY;
  }
}
