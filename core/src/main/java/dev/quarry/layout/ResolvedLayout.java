package dev.quarry.layout;

import java.util.List;

/// A layout checked and rounded for a device. Only [Layout#resolve] makes one, so whoever holds one
/// need not check again. Immutable; equal when layout source, device and effective pools are.
public final class ResolvedLayout {
  private final Layout source;
  private final DeviceProperties properties;
  private final List<PoolSpec> pools;

  ResolvedLayout(Layout source, DeviceProperties properties, List<PoolSpec> pools) {
    this.source = source;
    this.properties = properties;
    this.pools = List.copyOf(pools);
  }

  /// The layout as it was asked for.
  public Layout source() {
    return source;
  }

  /// The device it was resolved for.
  public DeviceProperties properties() {
    return properties;
  }

  /// The effective pools in routing order.
  public List<PoolSpec> pools() {
    return pools;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResolvedLayout that
        && pools.equals(that.pools)
        && properties.equals(that.properties)
        && source instanceof Preset == that.source instanceof Preset;
  }

  @Override
  public int hashCode() {
    return 31 * pools.hashCode() + properties.hashCode();
  }

  @Override
  public String toString() {
    return source instanceof Preset preset
        ? preset + " = " + LayoutText.of(pools)
        : LayoutText.of(pools);
  }
}
