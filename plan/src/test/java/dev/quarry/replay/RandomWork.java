package dev.quarry.replay;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.Preset;
import dev.quarry.size.Alignment;
import dev.quarry.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;

/// A random trace with a random layout and device for it.
///
/// The same seed gives the same work. Tests run seeds of their own choice and some from the clock,
/// which are printed; `-Dquarry.random.seed=S` begins with that seed instead.
///
/// @param seed gives this work again
/// @param device with any alignment, powers of two or not
/// @param layout resolves for the device, and may be too small for the trace
/// @param script the trace
public record RandomWork(long seed, DeviceProperties device, Layout layout, Script script) {
  private static final long[] ALIGNMENTS = {1, 2, 4, 10, 32, 50, 256, 512};
  private static final long MIB = 1 << 20;

  /// Work of this many events.
  public static RandomWork of(long seed, int events) {
    return new Maker(seed).work(events);
  }

  /// Half of them always the same, half from the clock.
  public static LongStream seeds(int count) {
    Long asked = Long.getLong("quarry.random.seed");
    if (asked != null) return LongStream.range(asked, asked + count);
    long clock = System.nanoTime();
    System.out.println("random work: the seeds from the clock begin at " + clock);
    return LongStream.concat(
        LongStream.range(0, count / 2), LongStream.range(clock, clock + (count - count / 2)));
  }

  /// The work as a trace.
  public Trace trace() {
    return script.trace();
  }

  /// What repeats it.
  @Override
  public String toString() {
    return "-Dquarry.random.seed=" + seed + ", " + layout.text() + " on " + device;
  }

  private static final class Maker {
    private final long seed;
    private final Random random;
    private DeviceProperties device = new DeviceProperties(0, 1);

    Maker(long seed) {
      this.seed = seed;
      this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    }

    RandomWork work(int events) {
      boolean exclusiveOnly = random.nextInt(6) == 0;
      long largestPage = (1 + random.nextInt(4)) * (random.nextBoolean() ? MIB : 64 * MIB);
      device =
          new DeviceProperties(
              largestPage, ALIGNMENTS[random.nextInt(ALIGNMENTS.length)], exclusiveOnly);
      if (random.nextInt(4) == 0) {
        Layout preset =
            exclusiveOnly || random.nextBoolean() ? Preset.EXCLUSIVE_PAGES : Preset.SUB_SLICES;
        return new RandomWork(seed, device, preset, script(events, largestPage));
      }
      long largest = 256L << random.nextInt(8);
      return new RandomWork(seed, device, layout(largest), script(events, largest));
    }

    private Layout layout(long largest) {
      List<PoolSpec> pools = new ArrayList<>();
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) pools.add(pool(largest));
      if (random.nextBoolean()) pools.add(PoolSpec.direct());
      return Layout.of(pools.toArray(PoolSpec[]::new));
    }

    private PoolSpec pool(long largest) {
      return switch (random.nextInt(device.exclusiveOnly() ? 2 : 5)) {
        case 0 -> new PoolSpec.Direct(maybe(upTo(8 * largest)));
        case 1 -> new PoolSpec.Exclusive(upTo(2 * largest), maybe(random.nextInt(60)));
        default -> sliced(1 + upTo(2 * largest));
      };
    }

    private PoolSpec sliced(long page) {
      long aligned = new Alignment(device.alignment()).up(page);
      return new PoolSpec.Sliced(
          page,
          maybe(1 + upTo(page - 1)),
          maybe(aligned * (1 + random.nextInt(4)) + upTo(aligned)),
          maybe(random.nextInt(10)));
    }

    private Script script(int events, long largest) {
      Script script = new Script();
      List<Integer> live = new ArrayList<>();
      List<Integer> asked = new ArrayList<>();
      long[] favourites = {size(largest), size(largest), size(largest)};
      int target = 1 + random.nextInt(60);
      while (script.length() < events) {
        boolean grow = random.nextInt(2 * target) >= live.size();
        if (live.isEmpty() || grow) {
          long size = random.nextInt(3) == 0 ? favourites[random.nextInt(3)] : size(largest);
          live.add(script.take(size, alignment(), random.nextInt(20) == 0 ? "tagged" : null));
        } else {
          Integer id = live.get(random.nextInt(live.size()));
          if (!asked.contains(id) && random.nextInt(10) == 0) {
            asked.add(id);
            script.askToFree(id);
          } else {
            live.remove(id);
            script.free(id);
          }
        }
        if (random.nextInt(50) == 0) script.mark("step");
        if (random.nextInt(80) == 0) script.refused(size(largest));
        if (random.nextInt(70) == 0) {
          live.forEach(script::free);
          live.clear();
        }
      }
      return script;
    }

    /// Mostly small; sometimes nothing, and sometimes more than the largest.
    private long size(long largest) {
      return switch (random.nextInt(12)) {
        case 0 -> 0;
        case 1 -> upTo(largest + largest / 8);
        case 2, 3 -> upTo(largest);
        default -> upTo(Math.max(1, largest >> random.nextInt(8)));
      };
    }

    private long alignment() {
      long alignment = 1 + random.nextInt(8);
      return device.alignment() % alignment == 0 ? alignment : 1;
    }

    private long upTo(long most) {
      return random.nextLong(most + 1);
    }

    private OptionalLong maybe(long value) {
      return random.nextBoolean() ? OptionalLong.of(value) : OptionalLong.empty();
    }
  }
}
