package dev.quarry.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.quarry.layout.LayoutError.CapSmallerThanPage;
import dev.quarry.layout.LayoutError.EmptyPoolList;
import dev.quarry.layout.LayoutError.PresetUnavailable;
import dev.quarry.layout.LayoutError.SliceLargerThanPage;
import dev.quarry.layout.LayoutError.SlicedPoolsUnavailable;
import dev.quarry.layout.LayoutError.TooManyPages;
import dev.quarry.layout.LayoutError.TooManyPools;
import dev.quarry.layout.LayoutError.ZeroSize;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Layouts are resolved before any device is touched, so what is wrong with one must be told here,
/// and always the same way.
class LayoutResolutionTest {
  private static final DeviceProperties DEVICE = new DeviceProperties(128 << 20, 32);
  private static final DeviceProperties EXCLUSIVE_ONLY = new DeviceProperties(128 << 20, 32, true);

  private static LayoutError errorOf(Layout layout, DeviceProperties properties) {
    try {
      layout.resolve(properties);
    } catch (LayoutException e) {
      assertThat(e).hasMessage(e.error().message());
      return e.error();
    }
    throw new AssertionError(layout + " resolves");
  }

  @Test
  void aMemoryThatAsksForNothingKeepsTheRuntimesLayout() {
    for (Layout own :
        List.of(Preset.SUB_SLICES, Preset.EXCLUSIVE_PAGES, Layout.parse("direct:reclaim=7"))) {
      ResolvedLayout resolved = own.resolve(DEVICE);
      assertThat(Layout.resolve(Optional.empty(), resolved, DEVICE)).isSameAs(resolved);
    }
  }

  @Test
  void whatIsAskedForReplacesTheRuntimesLayout() {
    ResolvedLayout own = Layout.parse("direct").resolve(DEVICE);
    for (Preset preset : Preset.values()) {
      assertThat(Layout.resolve(Optional.of(preset), own, DEVICE))
          .isEqualTo(preset.resolve(DEVICE));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "exclusive:max=0                         | exclusive:max=0",
        "exclusive:max=1                         | exclusive:max=32",
        "exclusive:max=8192,period=10000         | exclusive:max=8KiB,period=10000",
        "direct                                  | direct",
        "direct:reclaim=0                        | direct:reclaim=0",
        "direct:reclaim=1001                     | direct:reclaim=1001",
        "sliced:page=1000                        | sliced:page=1KiB,slice=1KiB",
        "sliced:page=1000,slice=1,cap=4096,period=7 | sliced:page=1KiB,slice=32,cap=4KiB,period=7",
        "sliced:page=1000,slice=1010             | sliced:page=1KiB,slice=1KiB",
        "sliced:page=1000,cap=4096               | sliced:page=1KiB,slice=1KiB,cap=4KiB",
        "sliced:page=1024,cap=67107840           | sliced:page=1KiB,slice=1KiB,cap=65535KiB",
        "sliced:page=1024,cap=67108863           | sliced:page=1KiB,slice=1KiB,cap=67108863",
        "sliced:page=1GiB                        | sliced:page=1GiB,slice=1GiB",
      })
  void sizesAreRoundedUpAndCapsAreNot(String asked, String effective) {
    ResolvedLayout resolved = Layout.parse(asked).resolve(DEVICE);
    assertThat(resolved.pools()).isEqualTo(((Layout.Explicit) Layout.parse(effective)).pools());
    assertThat(resolved.toString()).isEqualTo(effective);
  }

  @ParameterizedTest
  @CsvSource({"0, 1000, 1000", "50, 1001, 1050", "1, 77, 77", "10, 801, 810"})
  void alignmentNeedsToBeNoPowerOfTwo(long alignment, long page, long effective) {
    ResolvedLayout resolved =
        Layout.of(PoolSpec.sliced(page)).resolve(new DeviceProperties(1 << 20, alignment));
    assertThat(((PoolSpec.Sliced) resolved.pools().getFirst()).pageSize()).isEqualTo(effective);
  }

  static Stream<Arguments> layoutsThatDoNotResolve() {
    return Stream.of(
        arguments("sliced:page=0", new ZeroSize("page_size")),
        arguments("sliced:page=1024,slice=0", new ZeroSize("max_slice_size")),
        arguments("sliced:page=1024,slice=0,cap=0", new ZeroSize("max_slice_size")),
        arguments("sliced:page=1024,cap=0", new ZeroSize("max_pool_size")),
        arguments("sliced:page=1024,slice=2048", new SliceLargerThanPage(1024, 2048)),
        arguments("sliced:page=1024,slice=2048,cap=0", new SliceLargerThanPage(1024, 2048)),
        arguments("sliced:page=1000,slice=1025", new SliceLargerThanPage(1024, 1056)),
        arguments("sliced:page=2048,cap=1024", new CapSmallerThanPage(2048, 1024)),
        arguments("sliced:page=1000,cap=1000", new CapSmallerThanPage(1024, 1000)),
        arguments("sliced:page=1000,cap=1023", new CapSmallerThanPage(1024, 1023)),
        arguments("sliced:page=1024,cap=64GiB", new TooManyPages(67_108_864)),
        arguments("sliced:page=1024,cap=67108864", new TooManyPages(65_536)),
        arguments(
            "exclusive:max=1024;sliced:page=0;sliced:page=1024,cap=0", new ZeroSize("page_size")),
        arguments("sliced:page=0;sliced:page=1024,slice=2048", new ZeroSize("page_size")));
  }

  @ParameterizedTest
  @MethodSource("layoutsThatDoNotResolve")
  void theFirstProblemIsTheOneReported(String layout, LayoutError error) {
    assertThat(errorOf(Layout.parse(layout), DEVICE)).isEqualTo(error);
  }

  @Test
  void aLayoutListsFrom1To254Pools() {
    assertThat(errorOf(Layout.of(), DEVICE)).isEqualTo(new EmptyPoolList());
    List<PoolSpec> most = Collections.nCopies(254, PoolSpec.exclusive(0));
    assertThat(new Layout.Explicit(most).resolve(DEVICE).pools()).isEqualTo(most);
    // The count is looked at before any of the pools, all of which are wrong.
    List<PoolSpec> tooMany = Collections.nCopies(255, PoolSpec.sliced(0));
    assertThat(errorOf(new Layout.Explicit(tooMany), DEVICE)).isEqualTo(new TooManyPools(255));
  }

  @Test
  void anExclusiveOnlyDeviceHasNoSlicedPools() {
    assertThat(errorOf(Layout.parse("sliced:page=0"), EXCLUSIVE_ONLY))
        .isEqualTo(new SlicedPoolsUnavailable());
    assertThat(errorOf(Preset.SUB_SLICES, EXCLUSIVE_ONLY))
        .isEqualTo(new PresetUnavailable("sub-slices"));
    assertThat(Layout.parse("exclusive:max=1024;direct").resolve(EXCLUSIVE_ONLY).pools())
        .hasSize(2);
    assertThat(Layout.defaultFor(EXCLUSIVE_ONLY)).isEqualTo(Preset.EXCLUSIVE_PAGES);
    assertThat(Layout.defaultFor(DEVICE)).isEqualTo(Preset.SUB_SLICES);
  }

  @Test
  void everyErrorTellsItsNumbers() {
    assertThat(new EmptyPoolList().message()).contains("empty");
    assertThat(new ZeroSize("page_size").message()).contains("page_size");
    assertThat(new SliceLargerThanPage(1024, 2048).message()).contains("1024", "2048");
    assertThat(new CapSmallerThanPage(2048, 1000).message()).contains("2048", "1000");
    assertThat(new TooManyPages(65_536).message()).contains("65536", "65535");
    assertThat(new TooManyPools(255).message()).contains("255", "254");
    assertThat(new PresetUnavailable("sub-slices").message()).contains("sub-slices");
    assertThat(new SlicedPoolsUnavailable().message()).contains("exclusive-only");
  }

  @Test
  void aSizeThatCanNotBeRoundedIsNamed() {
    assertThatThrownBy(() -> Layout.of(PoolSpec.sliced(Long.MAX_VALUE)).resolve(DEVICE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("page_size (9223372036854775807)");
    assertThatThrownBy(() -> Layout.of(PoolSpec.exclusive(Long.MAX_VALUE - 1)).resolve(DEVICE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max_alloc_size");
  }

  @Test
  void negativeNumbersHaveNoLayout() {
    assertThatThrownBy(() -> PoolSpec.sliced(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("page_size (-1)");
    assertThatThrownBy(() -> PoolSpec.exclusive(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max_alloc_size");
    assertThatThrownBy(() -> new DeviceProperties(-1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new DeviceProperties(1, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | names no pool",
        "sliced | is missing: expected page=SIZE",
        "sliced:page | has no value",
        "sliced:page=12q | is not a size",
        "sliced:page=1,page=2 | given twice",
        "sliced:page=1,colour=2 | no field of this pool",
        "direct:page=1 | no field of this pool",
        "exclusive:max=1,period=-3 | number of reservations",
        "slabs:page=1 | names no pool",
        "direct; | names no pool",
        "sliced:page=9999999999GiB | exceeds",
      })
  void aTextThatIsNoLayoutSaysWhichPartIsNot(String text, String problem) {
    assertThatThrownBy(() -> Layout.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sub-slices",
        "exclusive-pages",
        "direct",
        "sliced:page=64MiB,slice=1MiB,cap=256MiB;direct:reclaim=8MiB;exclusive:max=128MiB,period=10000",
        "sliced:page=1001,slice=7,cap=4097,period=3",
      })
  void theTextFormReadsBack(String text) {
    assertThat(Layout.parse(text).text()).isEqualTo(text);
    assertThat(Layout.parse(" " + text.replace(";", " ; ").replace(",", " , ") + " "))
        .isEqualTo(Layout.parse(text));
  }
}
