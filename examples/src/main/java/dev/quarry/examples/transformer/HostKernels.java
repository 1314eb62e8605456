package dev.quarry.examples.transformer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.quarry.storage.CommandQueue;
import java.lang.foreign.MemorySegment;

/// The operations as plain loops over host segments, done when they return.
final class HostKernels implements Kernels<MemorySegment> {
  private static float get(MemorySegment from, int index) {
    return from.getAtIndex(JAVA_FLOAT, index);
  }

  private static void set(MemorySegment to, int index, float value) {
    to.setAtIndex(JAVA_FLOAT, index, value);
  }

  @Override
  public void embed(
      CommandQueue<MemorySegment> queue,
      int[] ids,
      int start,
      int width,
      MemorySegment tokens,
      MemorySegment at,
      MemorySegment out) {
    for (int row = 0; row < ids.length; row++) {
      for (int i = 0; i < width; i++) {
        float token = get(tokens, ids[row] * width + i);
        set(out, row * width + i, token + get(at, (start + row) * width + i));
      }
    }
  }

  @Override
  public void normalize(
      CommandQueue<MemorySegment> queue, int rows, int width, MemorySegment in, MemorySegment out) {
    for (int row = 0; row < rows; row++) {
      float sum = 0;
      for (int i = 0; i < width; i++) {
        float x = get(in, row * width + i);
        sum += x * x;
      }
      float scale = (float) (1 / Math.sqrt(sum / width + 1e-5));
      for (int i = 0; i < width; i++) set(out, row * width + i, get(in, row * width + i) * scale);
    }
  }

  @Override
  public void multiply(
      CommandQueue<MemorySegment> queue,
      int rows,
      int inner,
      int columns,
      MemorySegment left,
      MemorySegment right,
      MemorySegment out) {
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        float sum = 0;
        for (int i = 0; i < inner; i++)
          sum += get(left, row * inner + i) * get(right, i * columns + column);
        set(out, row * columns + column, sum);
      }
    }
  }

  @Override
  public void attend(
      CommandQueue<MemorySegment> queue,
      Shape shape,
      int rows,
      int start,
      MemorySegment query,
      MemorySegment keys,
      MemorySegment out) {
    int seen = start + rows;
    float scale = (float) (1 / Math.sqrt(shape.headWidth()));
    for (int head = 0; head < shape.heads(); head++) {
      for (int row = 0; row < rows; row++) {
        int base = (head * rows + row) * seen;
        int last = start + row;
        float max = Float.NEGATIVE_INFINITY;
        for (int at = 0; at <= last; at++) {
          float dot = 0;
          for (int i = 0; i < shape.headWidth(); i++) {
            int column = head * shape.headWidth() + i;
            dot +=
                get(query, row * shape.width() + column) * get(keys, at * shape.width() + column);
          }
          set(out, base + at, dot * scale);
          max = Math.max(max, dot * scale);
        }
        float sum = 0;
        for (int at = 0; at <= last; at++) {
          float weight = (float) Math.exp(get(out, base + at) - max);
          set(out, base + at, weight);
          sum += weight;
        }
        for (int at = 0; at < seen; at++)
          set(out, base + at, at <= last ? get(out, base + at) / sum : 0);
      }
    }
  }

  @Override
  public void gather(
      CommandQueue<MemorySegment> queue,
      Shape shape,
      int rows,
      int seen,
      MemorySegment weights,
      MemorySegment values,
      MemorySegment out) {
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < shape.width(); column++) {
        int head = column / shape.headWidth();
        float sum = 0;
        for (int at = 0; at < seen; at++) {
          float weight = get(weights, (head * rows + row) * seen + at);
          sum += weight * get(values, at * shape.width() + column);
        }
        set(out, row * shape.width() + column, sum);
      }
    }
  }

  @Override
  public void activate(CommandQueue<MemorySegment> queue, int count, MemorySegment inOut) {
    for (int i = 0; i < count; i++) {
      float x = get(inOut, i);
      set(inOut, i, (float) (x / (1 + Math.exp(-x))));
    }
  }

  @Override
  public void add(
      CommandQueue<MemorySegment> queue,
      int count,
      MemorySegment left,
      MemorySegment right,
      MemorySegment out) {
    for (int i = 0; i < count; i++) set(out, i, get(left, i) + get(right, i));
  }
}
