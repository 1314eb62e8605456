package dev.quarry.examples.transformer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The same model on plain arrays, one token at a time, with nothing cached but keys and values. It
/// shares no operation with [DeviceModel]; sums are taken in the same order, so the results are the
/// same to the bit.
final class ArrayModel {
  private final Shape shape;
  private final Weights weights;
  private final List<List<float[]>> keys = new ArrayList<>();
  private final List<List<float[]>> values = new ArrayList<>();

  ArrayModel(Shape shape, Weights weights) {
    this.shape = shape;
    this.weights = weights;
    for (int i = 0; i < shape.layers(); i++) {
      keys.add(new ArrayList<>());
      values.add(new ArrayList<>());
    }
  }

  /// Takes one token in.
  ///
  /// @return its logits
  float[] forward(int id) {
    int width = shape.width();
    float[] x = new float[width];
    int place = keys.getFirst().size();
    for (int i = 0; i < width; i++)
      x[i] = weights.tokens()[id * width + i] + weights.positions()[place * width + i];
    for (int i = 0; i < shape.layers(); i++) {
      Weights.Layer layer = weights.layers().get(i);
      x = sum(x, attention(layer, normal(x), keys.get(i), values.get(i)));
      float[] hidden = product(normal(x), layer.up());
      for (int h = 0; h < hidden.length; h++)
        hidden[h] = (float) (hidden[h] / (1 + Math.exp(-hidden[h])));
      x = sum(x, product(hidden, layer.down()));
    }
    return product(normal(x), weights.output());
  }

  private float[] attention(
      Weights.Layer layer, float[] x, List<float[]> keys, List<float[]> values) {
    float[] query = product(x, layer.query());
    keys.add(product(x, layer.key()));
    values.add(product(x, layer.value()));
    float[] gathered = new float[shape.width()];
    int wide = shape.headWidth();
    for (int from = 0; from < shape.width(); from += wide) {
      float[] attention = new float[keys.size()];
      for (int at = 0; at < attention.length; at++) {
        float dot = 0;
        for (int i = from; i < from + wide; i++) dot += query[i] * keys.get(at)[i];
        attention[at] = dot * (float) (1 / Math.sqrt(wide));
      }
      softmax(attention);
      for (int i = from; i < from + wide; i++) {
        float sum = 0;
        for (int at = 0; at < attention.length; at++) sum += attention[at] * values.get(at)[i];
        gathered[i] = sum;
      }
    }
    return product(gathered, layer.mix());
  }

  private static void softmax(float[] numbers) {
    float max = Float.NEGATIVE_INFINITY;
    for (float number : numbers) max = Math.max(max, number);
    float sum = 0;
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (float) Math.exp(numbers[i] - max);
      sum += numbers[i];
    }
    for (int i = 0; i < numbers.length; i++) numbers[i] /= sum;
  }

  private static float[] normal(float[] x) {
    float squares = 0;
    for (float each : x) squares += each * each;
    float scale = (float) (1 / Math.sqrt(squares / x.length + 1e-5));
    float[] out = Arrays.copyOf(x, x.length);
    for (int i = 0; i < out.length; i++) out[i] *= scale;
    return out;
  }

  private static float[] product(float[] row, float[] matrix) {
    int columns = matrix.length / row.length;
    float[] out = new float[columns];
    for (int column = 0; column < columns; column++) {
      float sum = 0;
      for (int i = 0; i < row.length; i++) sum += row[i] * matrix[i * columns + column];
      out[column] = sum;
    }
    return out;
  }

  private static float[] sum(float[] left, float[] right) {
    float[] out = new float[left.length];
    for (int i = 0; i < out.length; i++) out[i] = left[i] + right[i];
    return out;
  }
}
