package dev.quarry.examples.transformer;

import dev.quarry.failure.WorkFailure;
import dev.quarry.runtime.Buffer;
import dev.quarry.runtime.DeviceStream;
import dev.quarry.runtime.ExecuteScope;
import dev.quarry.runtime.Launch;
import dev.quarry.runtime.LaunchBody;
import dev.quarry.runtime.StreamWindow;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The model on a device's stream. Weights and the KV cache are in persistent memory; everything
/// else comes from the layout's pools, and is closed as soon as nothing reads it any more.
///
/// Every operation is a launch, so the same code is measured in a dry run and run for real. The
/// weights are uploaded by [#load], which a dry run does not need.
final class DeviceModel<R> implements AutoCloseable {
  private final Kernels<R> kernels;
  private final Shape shape;
  private final DeviceStream<R> stream;
  private final List<Buffer> kept = new ArrayList<>();
  private final Buffer tokens;
  private final Buffer positions;
  private final Buffer output;
  private final List<Layer> layers = new ArrayList<>();
  private int seen;

  private record Layer(
      Buffer query,
      Buffer key,
      Buffer value,
      Buffer mix,
      Buffer up,
      Buffer down,
      Buffer keys,
      Buffer values) {}

  DeviceModel(Shape shape, DeviceStream<R> stream, Kernels<R> kernels) {
    this.kernels = kernels;
    this.shape = shape;
    this.stream = stream;
    int width = shape.width();
    try (StreamWindow _ = stream.persistent()) {
      tokens = keep(shape.vocabulary() * width, "weights");
      positions = keep(shape.context() * width, "weights");
      for (int i = 0; i < shape.layers(); i++) {
        layers.add(
            new Layer(
                keep(width * width, "weights"),
                keep(width * width, "weights"),
                keep(width * width, "weights"),
                keep(width * width, "weights"),
                keep(width * shape.hidden(), "weights"),
                keep(shape.hidden() * width, "weights"),
                keep(shape.context() * width, "KV cache"),
                keep(shape.context() * width, "KV cache")));
      }
      output = keep(width * shape.vocabulary(), "weights");
    }
  }

  private Buffer keep(int floats, String label) {
    Buffer buffer = stream.allocate((long) floats * Float.BYTES, label);
    kept.add(buffer);
    return buffer;
  }

  void load(Weights weights) {
    write(tokens, weights.tokens());
    write(positions, weights.positions());
    write(output, weights.output());
    for (int i = 0; i < layers.size(); i++) {
      Layer layer = layers.get(i);
      Weights.Layer from = weights.layers().get(i);
      write(layer.query, from.query());
      write(layer.key, from.key());
      write(layer.value, from.value());
      write(layer.mix, from.mix());
      write(layer.up, from.up());
      write(layer.down, from.down());
    }
  }

  private void write(Buffer buffer, float[] numbers) {
    stream.write(buffer, MemorySegment.ofArray(numbers));
  }

  /// Begins a new text: the cache is used from its beginning again.
  void restart() {
    seen = 0;
  }

  /// Takes tokens in, behind those taken in before.
  ///
  /// @return the logits of the last one, to be closed by the caller
  Buffer forward(int... ids) {
    int rows = ids.length;
    int start = seen;
    seen += rows;
    Buffer x = activation(rows * shape.width());
    run(
        "embed",
        List.of(tokens, positions),
        List.of(x),
        s ->
            kernels.embed(
                s.queue(),
                ids,
                start,
                shape.width(),
                s.resource(tokens),
                s.resource(positions),
                s.resource(x)));
    Buffer state = x;
    for (Layer layer : layers) {
      state = addAndClose(state, attention(layer, state, rows, start));
      state = addAndClose(state, feedForward(layer, state, rows));
    }
    Buffer last = lastRow(state, rows);
    try (Buffer normal = normalized(last, 1)) {
      return multiplied(normal, output, 1, shape.width(), shape.vocabulary());
    } finally {
      last.close();
      state.close();
    }
  }

  private Buffer lastRow(Buffer state, int rows) {
    return state.view((long) (rows - 1) * shape.width() * Float.BYTES, 0);
  }

  private Buffer attention(Layer layer, Buffer state, int rows, int start) {
    int width = shape.width();
    int end = start + rows;
    try (Buffer normal = normalized(state, rows);
        Buffer query = multiplied(normal, layer.query, rows, width, width);
        Buffer newKeys = rowsOf(layer.keys, start, rows);
        Buffer newValues = rowsOf(layer.values, start, rows)) {
      multiply(normal, layer.key, newKeys, rows, width, width);
      multiply(normal, layer.value, newValues, rows, width, width);
      try (Buffer weights = activation(shape.heads() * rows * end);
          Buffer keys = rowsOf(layer.keys, 0, end);
          Buffer values = rowsOf(layer.values, 0, end);
          Buffer gathered = activation(rows * width)) {
        run(
            "attend",
            List.of(query, keys),
            List.of(weights),
            s ->
                kernels.attend(
                    s.queue(),
                    shape,
                    rows,
                    start,
                    s.resource(query),
                    s.resource(keys),
                    s.resource(weights)));
        run(
            "gather",
            List.of(weights, values),
            List.of(gathered),
            s ->
                kernels.gather(
                    s.queue(),
                    shape,
                    rows,
                    end,
                    s.resource(weights),
                    s.resource(values),
                    s.resource(gathered)));
        return multiplied(gathered, layer.mix, rows, width, width);
      }
    }
  }

  private Buffer rowsOf(Buffer cache, int from, int rows) {
    long row = (long) shape.width() * Float.BYTES;
    return cache.view(from * row, cache.length() - (from + rows) * row);
  }

  private Buffer feedForward(Layer layer, Buffer state, int rows) {
    try (Buffer normal = normalized(state, rows);
        Buffer hidden = multiplied(normal, layer.up, rows, shape.width(), shape.hidden())) {
      run(
          "activate",
          List.of(hidden),
          List.of(hidden),
          s -> kernels.activate(s.queue(), rows * shape.hidden(), s.resource(hidden)));
      return multiplied(hidden, layer.down, rows, shape.hidden(), shape.width());
    }
  }

  private Buffer normalized(Buffer in, int rows) {
    Buffer out = activation(rows * shape.width());
    run(
        "normalize",
        List.of(in),
        List.of(out),
        s -> kernels.normalize(s.queue(), rows, shape.width(), s.resource(in), s.resource(out)));
    return out;
  }

  private Buffer multiplied(Buffer left, Buffer right, int rows, int inner, int columns) {
    Buffer out = activation(rows * columns);
    multiply(left, right, out, rows, inner, columns);
    return out;
  }

  private void multiply(Buffer left, Buffer right, Buffer out, int rows, int inner, int columns) {
    run(
        "multiply",
        List.of(left, right),
        List.of(out),
        s ->
            kernels.multiply(
                s.queue(),
                rows,
                inner,
                columns,
                s.resource(left),
                s.resource(right),
                s.resource(out)));
  }

  /// The sum of both, which are closed.
  private Buffer addAndClose(Buffer left, Buffer right) {
    int floats = (int) (left.length() / Float.BYTES);
    Buffer out = activation(floats);
    run(
        "add",
        List.of(left, right),
        List.of(out),
        s -> kernels.add(s.queue(), floats, s.resource(left), s.resource(right), s.resource(out)));
    left.close();
    right.close();
    return out;
  }

  private Buffer activation(int floats) {
    return stream.allocate((long) floats * Float.BYTES, "activations");
  }

  private void run(
      String name, List<Buffer> reads, List<Buffer> writes, LaunchBody<R, RuntimeException> body) {
    stream.launch(
        Launch.named(name)
            .reads(reads.toArray(Buffer[]::new))
            .writes(writes.toArray(Buffer[]::new)),
        body);
  }

  /// Makes the cache of a layer as if the work that was to fill it had failed, to see what becomes
  /// of it.
  void spoilCache(int layer, String why) {
    Buffer keys = layers.get(layer).keys;
    stream.launch(
        Launch.named("fill the cache").writes(keys),
        (ExecuteScope<R> scope) -> scope.fail(new WorkFailure.Generic(why)));
  }

  float[] read(Buffer logits) {
    float[] numbers = new float[shape.vocabulary()];
    Arrays.fill(numbers, Float.NaN);
    stream.read(logits, MemorySegment.ofArray(numbers));
    return numbers;
  }

  @Override
  public void close() {
    kept.forEach(Buffer::close);
  }
}
