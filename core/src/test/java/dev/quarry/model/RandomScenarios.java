package dev.quarry.model;

import dev.quarry.AllocationMode;
import dev.quarry.PersistentMemory;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.Preset;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/// Makes scenarios and steps from one seed. Sizes are drawn where rules change: at nothing, at an
/// alignment, at a page, at four fifths of one, at the largest slice, at the size of a moment ago.
final class RandomScenarios {
  private static final long[] ALIGNMENTS = {1, 4, 10, 32, 50, 64, 512};
  private static final long[] ROUND_SIZES = {100, 500, 512, 1000, 1024, 2048, 4096, 10_000, 65_536};
  private static final long[] MAX_PAGE_SIZES = {
    1000, 20 << 10, 32 << 10, 1 << 20, 16 << 20, 33 << 20, 128 << 20, 512 << 20, 20L << 30
  };

  private final SplittableRandom random;
  private final long alignment;
  private final List<Long> interesting = new ArrayList<>(List.of(0L, 1L));
  private final List<Long> recent = new ArrayList<>(List.of(0L));

  /// Which pools a scenario has.
  enum Family {
    SLICED,
    EXCLUSIVE,
    DIRECT,
    PERSISTENT,
    MIXED,
    PRESET,
    BYTES
  }

  RandomScenarios(long seed) {
    random = new SplittableRandom(seed);
    alignment = ALIGNMENTS[random.nextInt(ALIGNMENTS.length)];
    around(alignment);
  }

  private void around(long size) {
    for (long each = size - 1; each <= size + 1; each++) {
      if (each >= 0) interesting.add(each);
    }
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  // Scenarios.

  Scenario scenario(Family family) {
    boolean huge = family != Family.BYTES && family != Family.PRESET && oneIn(30);
    long maxPage = MAX_PAGE_SIZES[random.nextInt(MAX_PAGE_SIZES.length)];
    DeviceProperties properties = new DeviceProperties(maxPage, alignment);
    List<Layout> layouts = new ArrayList<>();
    for (int i = 0; i < 3; i++) layouts.add(legal(properties, () -> layout(family, huge)));
    layouts.forEach(
        layout -> layout.resolve(properties).pools().forEach(this::noteInterestingSizes));
    if (huge || (family != Family.BYTES && oneIn(8))) around(Long.MAX_VALUE - 1 - alignment);
    long capacity = Long.MAX_VALUE;
    if (family == Family.BYTES) capacity = 1 << 20;
    if (oneIn(3)) capacity = Math.min(capacity, 1 + size() % (1L << 40) * (1 + random.nextInt(8)));
    return new Scenario(
        properties,
        layouts,
        capacity,
        family == Family.BYTES,
        family == Family.PERSISTENT
            ? PersistentMemory.ENFORCED
            : PersistentMemory.values()[Math.max(0, random.nextInt(8) - 4)],
        oneIn(8) ? Optional.of(AllocationMode.values()[random.nextInt(2)]) : Optional.empty(),
        oneIn(3) ? 1 + random.nextInt(12) : 1);
  }

  private static Layout legal(DeviceProperties properties, Supplier<Layout> maker) {
    while (true) {
      Layout layout = maker.get();
      try {
        layout.resolve(properties);
        return layout;
      } catch (LayoutException | IllegalArgumentException e) {
        // Try another.
      }
    }
  }

  private Layout layout(Family family, boolean huge) {
    return switch (family) {
      case SLICED -> Layout.of(sliced(huge));
      case EXCLUSIVE -> Layout.of(exclusive(huge));
      case DIRECT -> Layout.of(direct(huge));
      case PRESET -> Preset.values()[random.nextInt(2)];
      case PERSISTENT, MIXED, BYTES -> {
        PoolSpec[] pools = new PoolSpec[1 + random.nextInt(5)];
        for (int i = 0; i < pools.length; i++) {
          pools[i] =
              switch (random.nextInt(4)) {
                case 0 -> exclusive(huge);
                case 1 -> direct(huge);
                default -> sliced(huge);
              };
        }
        yield Layout.of(pools);
      }
    };
  }

  private PoolSpec sliced(boolean huge) {
    long page = poolSize(huge);
    OptionalLong slice =
        oneIn(2) ? OptionalLong.empty() : OptionalLong.of(1 + random.nextLong(page));
    OptionalLong cap =
        oneIn(2) || page > Long.MAX_VALUE / 8
            ? OptionalLong.empty()
            : OptionalLong.of(page * (1 + random.nextInt(4)) + random.nextLong(page));
    return new PoolSpec.Sliced(page, slice, cap, OptionalLong.empty());
  }

  private PoolSpec exclusive(boolean huge) {
    OptionalLong period =
        oneIn(3) ? OptionalLong.empty() : OptionalLong.of(random.nextInt(oneIn(3) ? 300 : 30));
    return new PoolSpec.Exclusive(oneIn(8) ? 0 : poolSize(huge), period);
  }

  private PoolSpec direct(boolean huge) {
    return new PoolSpec.Direct(
        oneIn(4)
            ? OptionalLong.empty()
            : OptionalLong.of(oneIn(6) ? 0 : random.nextLong(16) * (poolSize(huge) / 16)));
  }

  private long poolSize(boolean huge) {
    if (huge) return Long.MAX_VALUE / (1 + random.nextInt(12)) - random.nextInt(1000);
    return switch (random.nextInt(3)) {
      case 0 -> alignment * (1 + random.nextInt(40));
      case 1 -> ROUND_SIZES[random.nextInt(ROUND_SIZES.length)];
      default -> 1 + random.nextInt(5000);
    };
  }

  private void noteInterestingSizes(PoolSpec spec) {
    switch (spec) {
      case PoolSpec.Sliced(long page, OptionalLong slice, _, _) -> {
        around(page);
        around(page / 2);
        around(page - page / 5);
        around(slice.orElse(page));
      }
      case PoolSpec.Exclusive(long max, _) -> {
        around(max);
        around(max / 2);
      }
      case PoolSpec.Direct(OptionalLong reclaimAt) -> around(reclaimAt.orElse(0) / 3);
    }
  }

  private long size() {
    return interesting.get(random.nextInt(interesting.size()));
  }

  // Steps.

  /// A sequence in which phases of growing and of shrinking alternate.
  List<Step> steps(Scenario scenario, int count) {
    List<Step> steps = new ArrayList<>(count);
    int closesInHundred = 50;
    double laziness = oneIn(3) ? random.nextDouble() : 0;
    while (steps.size() < count) {
      if (steps.size() % 50 == 0) closesInHundred = 15 + random.nextInt(80);
      steps.add(step(closesInHundred, laziness));
    }
    return steps;
  }

  private Step step(int closesInHundred, double laziness) {
    int pick = random.nextInt(1 << 20);
    return switch (random.nextInt(40)) {
      case 0 -> oneIn(3) ? new Step.CleanUp() : new Step.Locate(pick);
      case 1 -> oneIn(4) ? new Step.Install(random.nextInt(3)) : new Step.Locate(pick);
      case 2 -> oneIn(8) ? new Step.InstallNonsense() : new Step.Misuse(pick);
      case 3 -> oneIn(3) ? new Step.OpenWindow() : new Step.CloseWindow(pick);
      case 4 -> new Step.CloseWindow(pick);
      case 5 -> oneIn(4) ? new Step.BeginCapture() : new Step.EndCapture(oneIn(2));
      case 6 -> oneIn(2) ? new Step.EndPriming() : new Step.EndCapture(oneIn(2));
      case 7 -> new Step.Duplicate(pick);
      case 8 -> new Step.Bind(pick);
      case 9 -> new Step.IntoBinding(pick);
      case 10, 11 -> {
        double from = fraction();
        double to = fraction();
        yield switch (random.nextInt(5)) {
          case 0, 1 ->
              new Step.Taint(pick, Math.min(from, to), Math.max(from, to), random.nextBoolean());
          case 2, 3 -> new Step.Written(pick, Math.min(from, to), Math.max(from, to));
          default -> new Step.Failure(pick, Math.min(from, to), Math.max(from, to));
        };
      }
      default ->
          random.nextInt(100) < closesInHundred
              ? new Step.Close(pick)
              : new Step.Reserve(
                  requestSize(), random.nextDouble() < laziness ? Mapping.LAZY : Mapping.EAGER);
    };
  }

  private double fraction() {
    return random.nextInt(5) / 4.0;
  }

  private long requestSize() {
    long size =
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> recent.get(random.nextInt(recent.size()));
          case 3, 4 -> size();
          case 5 -> random.nextLong(size() / 2 + 1) + 1;
          case 6 -> 1 + random.nextLong(4 * alignment);
          default -> 1 + random.nextLong(400);
        };
    if (recent.size() < 8) recent.add(size);
    else recent.set(random.nextInt(8), size);
    return size;
  }
}
