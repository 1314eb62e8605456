package dev.quarry.examples.transformer;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The numbers of a model, by chance but the same for the same seed.
///
/// @param tokens a row of `width` for each token
/// @param positions a row of `width` for each place in the context
/// @param layers the matrices of each layer
/// @param output `width` by `vocabulary`
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record Weights(float[] tokens, float[] positions, List<Layer> layers, float[] output) {
  /// The matrices of one layer, by rows.
  ///
  /// @param query `width` by `width`, as are the next three
  /// @param up `width` by `hidden`
  /// @param down `hidden` by `width`
  @SuppressWarnings("ArrayRecordComponent") // as above
  record Layer(float[] query, float[] key, float[] value, float[] mix, float[] up, float[] down) {}

  static Weights random(Shape shape, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int width = shape.width();
    List<Layer> layers = new ArrayList<>();
    for (int i = 0; i < shape.layers(); i++) {
      layers.add(
          new Layer(
              matrix(random, width, width),
              matrix(random, width, width),
              matrix(random, width, width),
              matrix(random, width, width),
              matrix(random, width, shape.hidden()),
              matrix(random, shape.hidden(), width)));
    }
    return new Weights(
        matrix(random, shape.vocabulary(), width),
        matrix(random, shape.context(), width),
        layers,
        matrix(random, width, shape.vocabulary()));
  }

  private static float[] matrix(SplittableRandom random, int rows, int columns) {
    float[] numbers = new float[rows * columns];
    double scale = 1 / Math.sqrt(columns);
    for (int i = 0; i < numbers.length; i++) numbers[i] = (float) (scale * random.nextGaussian());
    return numbers;
  }
}
