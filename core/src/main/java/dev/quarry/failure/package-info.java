/// Failures as values: what went wrong with memory, what work it cost, and which bytes carry the
/// damage.
///
/// A [MemoryFailure][dev.quarry.failure.MemoryFailure] says why memory could not be had. A
/// [WorkFailure][dev.quarry.failure.WorkFailure] says why work did not happen. The
/// [ErrorGraph][dev.quarry.failure.ErrorGraph] keeps each failure for exactly as long as some bytes
/// are claimed by it; a [Taint][dev.quarry.failure.Taint] holds the claims of one allocation.
@NullMarked
package dev.quarry.failure;

import org.jspecify.annotations.NullMarked;
