package dev.quarry.examples.transformer;

/// The sizes of a model.
///
/// @param layers how many blocks of attention and feed-forward
/// @param width the floats of one token between layers
/// @param heads the attention heads; they divide the width
/// @param hidden the floats of one token inside the feed-forward
/// @param vocabulary the tokens there are
/// @param context the most tokens that can be attended to
record Shape(int layers, int width, int heads, int hidden, int vocabulary, int context) {
  static final Shape SMALL = new Shape(4, 128, 4, 512, 256, 64);

  int headWidth() {
    return width / heads;
  }
}
