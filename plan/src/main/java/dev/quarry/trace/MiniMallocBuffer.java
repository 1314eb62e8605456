package dev.quarry.trace;

import java.util.List;
import java.util.OptionalLong;

/// One row of a MiniMalloc file: a buffer that lives from `lower` to just before `upper`.
///
/// @param id what the file calls it
/// @param lower the first step at which it lives
/// @param upper the first step at which it lives no more
/// @param size bytes
/// @param alignment bytes its offset must be a multiple of
/// @param hint where to try first, if the file says
/// @param gaps steps in between at which its bytes, or most of them, are not in use
/// @param offset where it has to lie, if the file says
record MiniMallocBuffer(
    String id,
    long lower,
    long upper,
    long size,
    long alignment,
    OptionalLong hint,
    List<Gap> gaps,
    OptionalLong offset) {

  /// A pause in a buffer's life, from `lower` to just before `upper`.
  ///
  /// @param windowLower the first byte of the buffer still in use meanwhile
  /// @param windowUpper the first byte after those; equal to `windowLower` when none is
  record Gap(long lower, long upper, long windowLower, long windowUpper) {}
}
