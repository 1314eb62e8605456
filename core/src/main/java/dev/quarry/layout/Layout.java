package dev.quarry.layout;

import java.util.List;
import java.util.Optional;

/// The pools a program asks for: a [preset][Preset], or an ordered list of pools. Immutable.
///
/// Order is routing order: a request goes to the first pool that takes its size. Layouts are made
/// by programs or read from plans, never chosen by a configuration key or an environment variable.
///
/// ```java
/// Layout layout = Layout.of(
///     PoolSpec.sliced(ByteSize.ofMiB(64).bytes(), ByteSize.ofMiB(256).bytes()),
///     PoolSpec.direct());
/// Layout same = Layout.parse("sliced:page=64MiB,cap=256MiB;direct");
/// ```
public sealed interface Layout permits Preset, Layout.Explicit {
  /// A list of pools in routing order.
  ///
  /// @param pools the pools
  record Explicit(List<PoolSpec> pools) implements Layout {
    /// Copies the list.
    public Explicit {
      pools = List.copyOf(pools);
    }

    @Override
    public String text() {
      return LayoutText.of(pools);
    }

    @Override
    public String toString() {
      return text();
    }
  }

  /// The layout with these pools in this order.
  static Layout of(PoolSpec... pools) {
    return new Explicit(List.of(pools));
  }

  /// Reads the text form: `sub-slices`, `exclusive-pages`, or pools joined by `;` such as
  /// `sliced:page=64MiB,slice=1MiB,cap=256MiB;direct:reclaim=8MiB;exclusive:max=128MiB,period=10000`.
  ///
  /// @throws IllegalArgumentException naming the part that could not be read and what was expected
  static Layout parse(String text) {
    return LayoutText.parse(text);
  }

  /// The layout of a memory whose program asked for none: [Preset#SUB_SLICES], or
  /// [Preset#EXCLUSIVE_PAGES] where sliced pools are off.
  static Layout defaultFor(DeviceProperties properties) {
    return properties.exclusiveOnly() ? Preset.EXCLUSIVE_PAGES : Preset.SUB_SLICES;
  }

  /// The layout a program asked for, resolved; or `otherwise`, unchanged, when it asked for none.
  ///
  /// @throws LayoutException with the first problem of the layout asked for
  static ResolvedLayout resolve(
      Optional<Layout> asked, ResolvedLayout otherwise, DeviceProperties properties) {
    return asked.map(layout -> layout.resolve(properties)).orElse(otherwise);
  }

  /// Checks this layout and rounds it for a device. Touches no device.
  ///
  /// @throws LayoutException with the first problem, in the order of [LayoutError]'s records
  /// @throws IllegalArgumentException when rounding a size up leaves the range of a `long`
  default ResolvedLayout resolve(DeviceProperties properties) {
    return LayoutResolver.resolve(this, properties);
  }

  /// The text form, which [#parse] reads back.
  String text();
}
