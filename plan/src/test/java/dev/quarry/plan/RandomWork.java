package dev.quarry.plan;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.Preset;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Random traces, devices and layouts, all from one seed.
public final class RandomWork {
  private static final long[] ALIGNMENTS = {1, 4, 10, 32, 50, 64, 512};

  private final SplittableRandom random;

  /// Work that follows from this seed.
  public RandomWork(long seed) {
    random = new SplittableRandom(seed);
  }

  /// A small device, so that presets have small pages too.
  public DeviceProperties device() {
    return new DeviceProperties(
        1L << (12 + random.nextInt(16)), ALIGNMENTS[random.nextInt(ALIGNMENTS.length)]);
  }

  /// Requests of mixed sizes that come and go.
  public Trace trace(int events) {
    List<TraceEvent> made = new ArrayList<>();
    List<Allocate> live = new ArrayList<>();
    int octaves = 4 + random.nextInt(10);
    for (long id = 0; made.size() < events; ) {
      if (random.nextInt(100) < 55 || live.isEmpty()) {
        long size = random.nextInt(20) == 0 ? 0 : random.nextLong(1L << random.nextInt(1, octaves));
        Allocate allocate = new Allocate(id++, size);
        live.add(allocate);
        made.add(allocate);
      } else {
        Allocate freed = live.remove(random.nextInt(live.size()));
        made.add(new Free(freed.id(), freed.size()));
      }
    }
    return Trace.of(made);
  }

  /// A layout that resolves for the device.
  public Layout layout(DeviceProperties device) {
    while (true) {
      Layout layout = random.nextInt(6) == 0 ? Preset.values()[random.nextInt(2)] : pools();
      try {
        layout.resolve(device);
        return layout;
      } catch (LayoutException _) {
        // Another try: what does not resolve is tested elsewhere.
      }
    }
  }

  private Layout pools() {
    List<String> pools = new ArrayList<>();
    for (int i = random.nextInt(1, 5); i > 0; i--) pools.add(pool());
    return Layout.parse(String.join(";", pools));
  }

  private String pool() {
    return switch (random.nextInt(9)) {
      case 0 -> "direct" + (random.nextBoolean() ? "" : ":reclaim=" + random.nextInt(1 << 14));
      case 1 ->
          "exclusive:max="
              + random.nextInt(1 << 13)
              + (random.nextBoolean() ? "" : ",period=" + random.nextInt(200));
      default -> {
        int page = random.nextInt(1, 1 << random.nextInt(8, 15));
        String slice = random.nextBoolean() ? "" : ",slice=" + random.nextInt(1, page + 1);
        String cap = random.nextInt(3) == 0 ? "" : ",cap=" + (long) page * random.nextInt(1, 6);
        yield "sliced:page=" + page + slice + cap;
      }
    };
  }
}
