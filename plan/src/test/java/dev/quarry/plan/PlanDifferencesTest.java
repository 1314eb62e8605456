package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.replay.Script;
import dev.quarry.storage.DeviceInfo;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// A plan that was measured for one device and is installed on another.
class PlanDifferencesTest {
  private static final Plan PLAN = plan();

  private static Plan plan() {
    Script script = new Script();
    script.take(600);
    script.take(4000);
    return new PeakPlanner(Layout.parse("sliced:page=8KiB"))
        .plan(script.trace(), new DeviceProperties(1 << 20, 64));
  }

  private static DeviceInfo device(long alignment, long largest, long total) {
    return new DeviceInfo(
        "a device", alignment, largest, OptionalLong.of(total), OptionalLong.empty(), List.of());
  }

  @Test
  void itFitsADeviceWhoseAlignmentDividesItsOwnAndThatTakesItsPages() {
    assertThat(PLAN.reserved()).isEqualTo(8192);
    for (long alignment : new long[] {1, 16, 64})
      assertThat(PLAN.layoutFor(device(alignment, 8192, 8192))).isEqualTo(PLAN.layout());
    DeviceInfo silent =
        new DeviceInfo("x", 64, 8192, OptionalLong.empty(), OptionalLong.empty(), List.of());
    assertThat(PLAN.differences(silent)).isEmpty();
  }

  @Test
  void whateverDiffersIsNamedWithBothNumbers() {
    assertThat(PLAN.differences(device(128, 8191, 8000)))
        .containsExactly(
            "it was measured for offsets at multiples of 64 bytes, and the device needs multiples"
                + " of 128",
            "it has pages of 8192 bytes, and the device allocates at most 8191 bytes at once",
            "it reserves 8192 bytes, and the device has 8000");
    assertThatThrownBy(() -> PLAN.layoutFor(device(256, 1 << 20, 1 << 20)))
        .isInstanceOfSatisfying(PlanException.class, e -> assertThat(e.isAboutTheWork()).isTrue())
        .hasMessage(
            "the plan does not fit a device: it was measured for offsets at multiples of 64"
                + " bytes, and the device needs multiples of 256");
  }
}
