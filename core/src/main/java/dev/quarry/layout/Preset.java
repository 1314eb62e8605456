package dev.quarry.layout;

/// A layout known by name, sized from the device's largest page.
public enum Preset implements Layout {
  /// Sliced pools of growing page size, and an exclusive pool for the largest requests. The
  /// default.
  SUB_SLICES("sub-slices"),
  /// Twenty-four exclusive pools of growing size, one allocation per page. Always available.
  EXCLUSIVE_PAGES("exclusive-pages");

  private final String text;

  Preset(String text) {
    this.text = text;
  }

  /// The preset's name in the text form of layouts.
  @Override
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
