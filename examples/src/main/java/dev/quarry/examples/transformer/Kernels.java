package dev.quarry.examples.transformer;

import dev.quarry.storage.CommandQueue;

/// The operations of the model on device memory. Each is put on the queue of its launch, and done
/// when the queue comes to it.
///
/// @param <R> what memory is to them
interface Kernels<R> {
  /// `out[row]` is the token's row plus the position's.
  void embed(CommandQueue<R> queue, int[] ids, int start, int width, R tokens, R at, R out);

  /// Each row divided by its root mean square.
  void normalize(CommandQueue<R> queue, int rows, int width, R in, R out);

  /// `out` is `rows` by `columns`, the product of `left` (`rows` by `inner`) and `right`.
  void multiply(CommandQueue<R> queue, int rows, int inner, int columns, R left, R right, R out);

  /// For each head and row the weights with which it attends to what came before it, and to itself.
  void attend(CommandQueue<R> queue, Shape shape, int rows, int start, R query, R keys, R out);

  /// The values seen, weighted by the attention of each head.
  void gather(CommandQueue<R> queue, Shape shape, int rows, int seen, R weights, R values, R out);

  /// `x` times its logistic function, in place.
  void activate(CommandQueue<R> queue, int count, R inOut);

  /// The sums, number by number.
  void add(CommandQueue<R> queue, int count, R left, R right, R out);
}
