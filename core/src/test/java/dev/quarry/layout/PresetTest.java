package dev.quarry.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.DeviceMemory;
import dev.quarry.DryRun;
import dev.quarry.Handle;
import dev.quarry.Reservation;
import dev.quarry.failure.MemoryFailure.BufferTooBig;
import dev.quarry.storage.CountingStorage;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Presets size themselves by the device's largest page; the lists are those of the reference.
class PresetTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "134217728   | 32  |"
            + " exclusive:max=0;sliced:page=8MiB,slice=2MiB;sliced:page=32MiB,slice=16MiB;exclusive:max=128MiB,period=5000",
        "536870912   | 256 |"
            + " exclusive:max=0;sliced:page=8MiB,slice=1MiB;sliced:page=32MiB,slice=8MiB;sliced:page=128MiB,slice=64MiB;exclusive:max=512MiB,period=10000",
        "2147483648  | 32  |"
            + " exclusive:max=0;sliced:page=8MiB,slice=512KiB;sliced:page=32MiB,slice=4MiB;sliced:page=128MiB,slice=32MiB;sliced:page=512MiB,slice=256MiB;exclusive:max=2GiB,period=15000",
        "21474836480 | 512 |"
            + " exclusive:max=0;sliced:page=20971520,slice=655360;sliced:page=83886080,slice=5242880;sliced:page=335544320,slice=41943040;sliced:page=1342177280,slice=335544320;sliced:page=5368709120,slice=2684354560;exclusive:max=20GiB,period=105000",
        "16777216    | 32  | exclusive:max=0;exclusive:max=16MiB,period=5000",
      })
  void subSlicesAreALadderOfPages(long maxPage, long alignment, String pools) {
    assertThat(Preset.SUB_SLICES.resolve(new DeviceProperties(maxPage, alignment)).pools())
        .isEqualTo(((Layout.Explicit) Layout.parse(pools)).pools());
  }

  private static List<PoolSpec.Exclusive> buckets(long maxPage, long alignment) {
    return Preset.EXCLUSIVE_PAGES.resolve(new DeviceProperties(maxPage, alignment)).pools().stream()
        .map(PoolSpec.Exclusive.class::cast)
        .toList();
  }

  private static List<Long> sizes(String text) {
    return Arrays.stream(text.split(" ", -1)).map(Long::valueOf).toList();
  }

  @Test
  void exclusivePagesAreTwentyFourBucketsInLogarithmicSteps() {
    assertThat(buckets(128 * MIB, 32))
        .extracting(PoolSpec.Exclusive::maxAllocSize)
        .isEqualTo(
            sizes(
                "32768 47072 67552 96992 139232 199872 286976 411968 591456 849152 1219136 1750272"
                    + " 2512832 3607616 5179392 7435968 10675712 15326944 22004640 31591744"
                    + " 45355776 65116608 93486912 134217728"));
    assertThat(buckets(128 * MIB, 32))
        .extracting(PoolSpec.Exclusive::deallocPeriod)
        .containsOnly(OptionalLong.of(5000));
    assertThat(buckets(512 * MIB, 256))
        .extracting(PoolSpec.Exclusive::maxAllocSize)
        .isEqualTo(
            sizes(
                "32768 50176 76288 116224 177408 270336 412160 628224 957952 1460736 2227456"
                    + " 3396608 5179392 7898112 12043520 18364928 28004096 42702848 65116672"
                    + " 99294976 151412992 230886656 352074240 536870912"));
    assertThat(buckets(512 * MIB, 256).getLast().deallocPeriod()).hasValue(10_000);
  }

  @Test
  void largerBucketsKeepTheirPagesLonger() {
    List<PoolSpec.Exclusive> two = buckets(2 * GIB, 32);
    assertThat(two.subList(21, 24))
        .containsExactly(
            aging(818_663_680L, 10_000),
            aging(1_325_921_152L, 10_000),
            aging(2_147_483_648L, 15_000));
    List<PoolSpec.Exclusive> twenty = buckets(20 * GIB, 512);
    assertThat(twenty.subList(19, 24))
        .containsExactly(
            aging(2_091_068_416L, 15_000),
            aging(3_743_334_400L, 20_000),
            aging(6_701_145_088L, 35_000),
            aging(11_996_082_688L, 60_000),
            aging(21_474_836_480L, 105_000));
  }

  private static PoolSpec.Exclusive aging(long size, long period) {
    return new PoolSpec.Exclusive(size, OptionalLong.of(period));
  }

  @Test
  void theEndsOfTheBucketsAreExact() {
    // Through the logarithm the ends would come out a byte short, and refuse the largest page.
    List<PoolSpec.Exclusive> buckets = buckets(GIB, 1);
    assertThat(buckets.getFirst().maxAllocSize()).isEqualTo(32_768);
    assertThat(buckets.getLast().maxAllocSize()).isEqualTo(GIB);
  }

  @Test
  void aTinyDeviceHasOneBucket() {
    assertThat(buckets(1000, 32)).containsExactly(aging(1024, 5000));
    assertThat(buckets(32_768, 32)).containsExactly(aging(32_768, 5000));
    assertThat(buckets(0, 32)).containsExactly(aging(0, 5000));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "2097152, 1",
    "2097153, 2",
    "6710886, 2",
    "6710887, 1",
    "8388608, 1",
    "8388609, 2",
    "16777216, 2",
    "16777217, 3",
    "26843545, 3",
    "26843546, 2",
    "33554432, 2",
    "33554433, 3",
    "134217728, 3",
  })
  void aRequestGoesToTheFirstPoolThatTakesIt(long size, int pool) {
    try (var memory =
        DeviceMemory.on(new CountingStorage(), new DeviceProperties(128 * MIB, 32)).open()) {
      Handle handle = memory.reserve(size);
      assertThat(memory.placement(handle).pool()).isEqualTo(pool);
      assertThat(memory.tryReserve(128 * MIB + 1, DryRun.mapping()))
          .isEqualTo(new Reservation.Refused(new BufferTooBig(128 * MIB + 1)));
    }
  }
}
