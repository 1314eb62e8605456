package dev.quarry.trace;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Something that happened to memory in a recorded run.
///
/// Sizes are bytes as they were asked for. Times are nanoseconds from a start that the source
/// chooses, or whatever steps the source counts in (its [TraceNotes] say so); [#NO_TIME] where it
/// records none. The order of events is the truth, times only describe it: concurrent threads may
/// log a little out of order. Streams are the numbers the source knows them by; 0 is the default
/// stream.
///
/// Events are immutable values. A constructor refuses what cannot be (a negative size, a text that
/// UTF-8 cannot carry) with an [IllegalArgumentException].
public sealed interface TraceEvent {
  /// The time of an event whose source records no times.
  long NO_TIME = Long.MIN_VALUE;

  /// The largest size an event can carry, in bytes: 1 EiB. More is a mistake in the source, not a
  /// request.
  long MAX_SIZE = 1L << 60;

  /// The address of an allocation or segment whose source records none.
  long NO_ADDRESS = -1;

  /// When it happened, or [#NO_TIME].
  long time();

  /// A lifetime begins.
  ///
  /// @param id names the lifetime: what a reader hands out are the numbers 0, 1, 2, … in order of
  ///   allocation
  /// @param size bytes asked for; 0 is allowed
  /// @param stream the stream it was asked on
  /// @param time when, or [#NO_TIME]
  /// @param alignment bytes the address must be a multiple of, 1 for any
  /// @param address where the source's allocator put it, or [#NO_ADDRESS]
  /// @param tag what the source calls it, never empty
  /// @param stack frames of the caller, innermost first; empty when not recorded
  record Allocate(
      long id,
      long size,
      long stream,
      long time,
      long alignment,
      long address,
      @Nullable String tag,
      List<String> stack)
      implements TraceEvent {
    public Allocate {
      checkId(id);
      checkSize(size);
      checkAddress(address);
      if (alignment < 1 || alignment > MAX_SIZE) {
        throw new IllegalArgumentException(
            "alignment (" + alignment + ") must be from 1 to " + MAX_SIZE + " bytes");
      }
      checkTag(tag);
      stack = List.copyOf(stack);
      stack.forEach(TraceEvent::checkText);
    }

    /// An allocation on the default stream about which nothing more is known.
    public Allocate(long id, long size) {
      this(id, size, 0, NO_TIME, 1, NO_ADDRESS, null, List.of());
    }
  }

  /// A lifetime is given back.
  ///
  /// The memory is free again when the free has completed. A source that tells the two apart has an
  /// earlier event for the moment it was asked; every other source has the completed one alone.
  ///
  /// @param id the id of the allocation
  /// @param size the size of the allocation, repeated so that running sums need no memory of what
  ///   is live
  /// @param kind asked or completed
  /// @param stream the stream it was freed on
  /// @param time when, or [#NO_TIME]
  record Free(long id, long size, Kind kind, long stream, long time) implements TraceEvent {
    public Free {
      checkId(id);
      checkSize(size);
      Objects.requireNonNull(kind, "kind");
    }

    /// A completed free on the default stream.
    public Free(long id, long size) {
      this(id, size, Kind.COMPLETED, 0, NO_TIME);
    }

    /// How far a free has got.
    public enum Kind {
      /// The program gave the memory up; other streams may still be using it.
      ASKED,
      /// The memory can be handed out again: the lifetime has ended.
      COMPLETED
    }
  }

  /// A remark of the program or the source, such as the beginning of a step.
  ///
  /// @param text the remark
  /// @param time when, or [#NO_TIME]
  record Mark(String text, long time) implements TraceEvent {
    public Mark {
      checkText(text);
    }
  }

  /// A request was refused. It may have been tried again: some programs treat refusals as normal.
  ///
  /// @param size bytes asked for
  /// @param stream the stream it was asked on
  /// @param time when, or [#NO_TIME]
  /// @param reason the source's words, never empty
  record Failure(long size, long stream, long time, @Nullable String reason) implements TraceEvent {
    public Failure {
      checkSize(size);
      checkTag(reason);
    }
  }

  /// The source's allocator took memory from the device or gave some back, in which its allocations
  /// lie. What no layout of ours sees; it tells what the source held.
  ///
  /// @param change taken or given back
  /// @param address where it begins, or [#NO_ADDRESS]
  /// @param size bytes
  /// @param stream the stream whose allocations lie in it
  /// @param time when, or [#NO_TIME]
  record Segment(Change change, long address, long size, long stream, long time)
      implements TraceEvent {
    public Segment {
      Objects.requireNonNull(change, "change");
      checkAddress(address);
      checkSize(size);
    }

    /// What happened to the memory.
    public enum Change {
      /// The device gave it.
      TAKEN,
      /// The device has it again: all of a segment that was taken, or a part of one.
      GIVEN_BACK
    }
  }

  private static void checkAddress(long address) {
    if (address < NO_ADDRESS) {
      throw new IllegalArgumentException("address (" + address + ") must not be negative");
    }
  }

  private static void checkId(long id) {
    if (id < 0) {
      throw new IllegalArgumentException("id (" + id + ") must not be negative");
    }
  }

  private static void checkSize(long size) {
    if (size < 0 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "size (" + size + ") must be from 0 to " + MAX_SIZE + " bytes");
    }
  }

  private static void checkTag(@Nullable String tag) {
    if (tag != null) {
      if (tag.isEmpty()) {
        throw new IllegalArgumentException("a tag or reason that is present must not be empty");
      }
      checkText(tag);
    }
  }

  private static void checkText(String text) {
    if (!Text.isSound(text)) {
      throw new IllegalArgumentException("text must not contain NUL or half a surrogate pair");
    }
  }
}
