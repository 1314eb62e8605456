package dev.quarry.layout;

/// A layout does not resolve; [#error] tells why.
public final class LayoutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient LayoutError error;

  LayoutException(LayoutError error) {
    super(error.message());
    this.error = error;
  }

  /// What is wrong with the layout.
  public LayoutError error() {
    return error;
  }
}
