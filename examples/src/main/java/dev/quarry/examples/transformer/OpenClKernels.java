package dev.quarry.examples.transformer;

import dev.quarry.examples.opencl.ClProgram;
import dev.quarry.opencl.ClWindow;
import dev.quarry.opencl.OpenClQueue;
import dev.quarry.opencl.OpenClStorage;
import dev.quarry.storage.CommandQueue;

/// The operations as kernels of OpenCL. Sums are made in the order of the host's, so that results
/// differ by no more than the rounding of roots and exponentials.
final class OpenClKernels implements Kernels<ClWindow>, AutoCloseable {
  /// What roots and exponentials of a device may make of a logit.
  static final double TOLERANCE = 1e-4;

  private static final String SOURCE =
      """
      #pragma OPENCL FP_CONTRACT OFF

      kernel void add(
          global const float *l, ulong lAt, global const float *r, ulong rAt,
          global float *out, ulong outAt) {
        size_t i = get_global_id(0);
        out[outAt + i] = l[lAt + i] + r[rAt + i];
      }

      kernel void normalize_rows(
          int width, global const float *in, ulong inAt, global float *out, ulong outAt) {
        size_t row = get_global_id(0) * width;
        float sum = 0;
        for (int i = 0; i < width; i++) sum += in[inAt + row + i] * in[inAt + row + i];
        float scale = 1 / sqrt(sum / width + 1e-5f);
        for (int i = 0; i < width; i++) out[outAt + row + i] = in[inAt + row + i] * scale;
      }

      kernel void multiply(
          int inner, int columns, global const float *l, ulong lAt,
          global const float *r, ulong rAt, global float *out, ulong outAt) {
        size_t row = get_global_id(0) / columns;
        size_t column = get_global_id(0) % columns;
        float sum = 0;
        for (int i = 0; i < inner; i++)
          sum += l[lAt + row * inner + i] * r[rAt + i * columns + column];
        out[outAt + get_global_id(0)] = sum;
      }

      kernel void attend(
          int headWidth, int width, int rows, int start, float scale,
          global const float *query, ulong queryAt, global const float *keys, ulong keysAt,
          global float *out, ulong outAt) {
        int head = get_global_id(0) / rows;
        int row = get_global_id(0) % rows;
        int seen = start + rows;
        int last = start + row;
        global float *weights = out + outAt + get_global_id(0) * seen;
        float most = -INFINITY;
        for (int at = 0; at <= last; at++) {
          float dot = 0;
          for (int i = 0; i < headWidth; i++) {
            int column = head * headWidth + i;
            dot += query[queryAt + row * width + column] * keys[keysAt + at * width + column];
          }
          weights[at] = dot * scale;
          most = max(most, weights[at]);
        }
        float sum = 0;
        for (int at = 0; at <= last; at++) {
          weights[at] = exp(weights[at] - most);
          sum += weights[at];
        }
        for (int at = 0; at < seen; at++) weights[at] = at <= last ? weights[at] / sum : 0;
      }

      kernel void gather(
          int headWidth, int width, int rows, int seen,
          global const float *weights, ulong weightsAt, global const float *values, ulong valuesAt,
          global float *out, ulong outAt) {
        int row = get_global_id(0) / width;
        int column = get_global_id(0) % width;
        int head = column / headWidth;
        float sum = 0;
        for (int at = 0; at < seen; at++)
          sum += weights[weightsAt + (head * rows + row) * seen + at]
              * values[valuesAt + at * width + column];
        out[outAt + get_global_id(0)] = sum;
      }

      kernel void activate(global float *x, ulong at) {
        size_t i = at + get_global_id(0);
        x[i] = x[i] / (1 + exp(-x[i]));
      }
      """;

  private final ClProgram program;

  OpenClKernels(OpenClStorage storage) {
    program = new ClProgram(storage, SOURCE);
  }

  private void launch(
      CommandQueue<ClWindow> queue, String kernel, long items, Object... arguments) {
    program.launch((OpenClQueue) queue, kernel, items, arguments);
  }

  private static ClWindow row(ClWindow of, int row, int width) {
    long bytes = (long) width * Float.BYTES;
    return new ClWindow(of.buffer(), of.offset() + row * bytes, bytes);
  }

  @Override
  public void embed(
      CommandQueue<ClWindow> queue,
      int[] ids,
      int start,
      int width,
      ClWindow tokens,
      ClWindow at,
      ClWindow out) {
    for (int row = 0; row < ids.length; row++)
      launch(
          queue,
          "add",
          width,
          row(tokens, ids[row], width),
          row(at, start + row, width),
          row(out, row, width));
  }

  @Override
  public void normalize(
      CommandQueue<ClWindow> queue, int rows, int width, ClWindow in, ClWindow out) {
    launch(queue, "normalize_rows", rows, width, in, out);
  }

  @Override
  public void multiply(
      CommandQueue<ClWindow> queue,
      int rows,
      int inner,
      int columns,
      ClWindow left,
      ClWindow right,
      ClWindow out) {
    launch(queue, "multiply", (long) rows * columns, inner, columns, left, right, out);
  }

  @Override
  public void attend(
      CommandQueue<ClWindow> queue,
      Shape shape,
      int rows,
      int start,
      ClWindow query,
      ClWindow keys,
      ClWindow out) {
    float scale = (float) (1 / Math.sqrt(shape.headWidth()));
    launch(
        queue,
        "attend",
        (long) shape.heads() * rows,
        shape.headWidth(),
        shape.width(),
        rows,
        start,
        scale,
        query,
        keys,
        out);
  }

  @Override
  public void gather(
      CommandQueue<ClWindow> queue,
      Shape shape,
      int rows,
      int seen,
      ClWindow weights,
      ClWindow values,
      ClWindow out) {
    launch(
        queue,
        "gather",
        (long) rows * shape.width(),
        shape.headWidth(),
        shape.width(),
        rows,
        seen,
        weights,
        values,
        out);
  }

  @Override
  public void activate(CommandQueue<ClWindow> queue, int count, ClWindow inOut) {
    launch(queue, "activate", count, inOut);
  }

  @Override
  public void add(
      CommandQueue<ClWindow> queue, int count, ClWindow left, ClWindow right, ClWindow out) {
    launch(queue, "add", count, left, right, out);
  }

  @Override
  public void close() {
    program.close();
  }
}
