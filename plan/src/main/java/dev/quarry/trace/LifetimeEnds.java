package dev.quarry.trace;

/// Which of its two bounds belong to a lifetime in a MiniMalloc CSV file, where times are whole
/// steps.
///
/// MiniMalloc says so by the name of the column. Files made for idealloc use the same names for
/// three meanings, so there the user has to say which one it is.
public enum LifetimeEnds {
  /// As MiniMalloc reads it: `upper` is exclusive, `end` is inclusive; the lower bound is
  /// inclusive.
  BY_HEADER,
  /// Lower inclusive, upper exclusive, whatever the column is called; idealloc's
  /// inclusive-exclusive.
  HALF_OPEN,
  /// Both exclusive: live strictly between the two; idealloc's exclusive.
  OPEN,
  /// Both inclusive; idealloc's inclusive.
  CLOSED
}
