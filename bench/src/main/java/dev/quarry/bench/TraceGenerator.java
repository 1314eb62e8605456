package dev.quarry.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/// Makes the traces of the benchmarks. Integer arithmetic from fixed seeds only, so a name gives
/// the same operations on every machine.
///
/// | name | what it is |
/// | --- | --- |
/// | `T1` | 204,800 reservations of 1 MiB, the oldest closed once 4,000 are live |
/// | `T2` | like decoding: 500 steps of 40 layers of 6 to 10 buffers, 4 KiB to 64 MiB |
/// | `T3`, `T4`, `T5` | random, 2,000, 20,000 and 50,000 live, log-uniform, multiples of 4 |
/// | `T6` | like training: 2,000 activations forward, closed in reverse, 100 times, jittered |
/// | `T3a`, `T4a`, `T5a` | as `T3` to `T5` with sizes rounded up to 32 |
/// | `SLn`, `SSn` | n live, then a steady churn, of which alone the time counts; sizes of `T3a` and `T5a` |
public final class TraceGenerator {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final int SMALLEST_OCTAVE = 8;

  private TraceGenerator() {}

  /// Writes traces to files: `TraceGenerator FOLDER NAME...`, and prints the first 16 digits of
  /// each file's SHA-256.
  ///
  /// @param args the folder, and the names
  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    for (String name : List.of(args).subList(1, args.length)) {
      Ops ops = generate(name);
      Files.writeString(folder.resolve(name + ".txt"), ops.text());
      System.out.println(digest(ops) + " " + ops.heading().substring(2));
    }
  }

  static String digest(Ops ops) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(ops.text().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static Ops generate(String name) {
    Ops ops = new Ops(name);
    recipe(name).accept(ops);
    return ops;
  }

  private static Consumer<Ops> recipe(String name) {
    return switch (name) {
      case "T1" -> TraceGenerator::queue;
      case "T2" -> TraceGenerator::decoding;
      case "T3" -> ops -> steady(ops, 3, 2_000, 200_000, 26, 4, false);
      case "T4" -> ops -> steady(ops, 4, 20_000, 400_000, 26, 4, false);
      case "T5" -> ops -> steady(ops, 5, 50_000, 500_000, 14, 4, false);
      case "T6" -> TraceGenerator::training;
      case "T3a" -> ops -> steady(ops, 3, 2_000, 200_000, 26, 32, false);
      case "T4a" -> ops -> steady(ops, 4, 20_000, 400_000, 26, 32, false);
      case "T5a" -> ops -> steady(ops, 5, 50_000, 500_000, 14, 32, false);
      default -> {
        if (!name.matches("S[LS][1-9]\\d{1,5}")) {
          throw new IllegalArgumentException(
              "'"
                  + name
                  + "' is no trace: expected T1 to T6, T3a, T4a, T5a, SL or SS with a number live");
        }
        int live = Integer.parseInt(name.substring(2));
        boolean large = name.charAt(1) == 'L';
        int operations = live + Math.max(20_000, 4 * live);
        yield ops ->
            steady(ops, (large ? 100 : 200) + live, live, operations, large ? 26 : 14, 32, true);
      }
    };
  }

  /// What is held, oldest first or in any order.
  private static final class Held {
    final List<Integer> slots = new ArrayList<>();
    final List<Long> sizes = new ArrayList<>();

    void add(Ops ops, long size) {
      slots.add(ops.allocate(size));
      sizes.add(size);
    }

    void free(Ops ops, int at) {
      ops.free(slots.get(at), sizes.get(at));
    }
  }

  private static void queue(Ops ops) {
    Held held = new Held();
    for (int i = 0; i < 100 * 2048; i++) {
      if (i >= 4000) held.free(ops, i - 4000);
      held.add(ops, MIB);
    }
  }

  /// Even layers close their buffers in reverse, odd ones through a window of three; each hands its
  /// last buffer to the next layer. One buffer grows with the step, and every 64 steps each layer
  /// keeps a chunk for good.
  private static void decoding(Ops ops) {
    Random random = new Random(2);
    List<long[]> shapes = new ArrayList<>();
    for (int layer = 0; layer < 40; layer++) {
      long[] shape = new long[(int) (6 + random.below(5))];
      for (int i = 0; i < shape.length; i++) shape[i] = random.logSize(12, 26, 32);
      shapes.add(shape);
    }
    Held carried = new Held();
    for (int step = 0; step < 500; step++) {
      for (int layer = 0; layer < 40; layer++) {
        if (step % 64 == 0) ops.allocate(MIB);
        long[] sizes = shapes.get(layer).clone();
        sizes[1] = 32L * (512 + step) * 2;
        Held buffers =
            layer % 2 == 0 ? inReverse(ops, sizes, carried) : throughWindow(ops, sizes, carried);
        carried = new Held();
        carried.slots.add(buffers.slots.getLast());
        carried.sizes.add(buffers.sizes.getLast());
      }
    }
  }

  private static Held inReverse(Ops ops, long[] sizes, Held carried) {
    Held buffers = new Held();
    for (long size : sizes) buffers.add(ops, size);
    freeCarried(ops, carried);
    for (int i = sizes.length - 2; i >= 0; i--) buffers.free(ops, i);
    return buffers;
  }

  private static Held throughWindow(Ops ops, long[] sizes, Held carried) {
    Held buffers = new Held();
    for (int i = 0; i < sizes.length; i++) {
      buffers.add(ops, sizes[i]);
      if (i == 0) freeCarried(ops, carried);
      if (i >= 3) buffers.free(ops, i - 3);
    }
    for (int i = Math.max(0, sizes.length - 3); i < sizes.length - 1; i++) buffers.free(ops, i);
    return buffers;
  }

  private static void freeCarried(Ops ops, Held carried) {
    if (!carried.slots.isEmpty()) carried.free(ops, 0);
  }

  /// Fills up to `live`, then reserves or closes at random, staying within five percent of it.
  private static void steady(
      Ops ops, int seed, int live, int operations, int octaves, long step, boolean fillUntimed) {
    Random random = new Random(seed);
    Held held = new Held();
    int least = live - live / 20;
    int most = live + live / 20;
    while (held.slots.size() < live && ops.size() < operations)
      held.add(ops, random.logSize(SMALLEST_OCTAVE, octaves, step));
    if (fillUntimed) ops.timeFromHere();
    while (ops.size() < operations) {
      boolean grow = random.below(2) == 0;
      if (held.slots.size() <= least) grow = true;
      else if (held.slots.size() >= most) grow = false;
      if (grow) {
        held.add(ops, random.logSize(SMALLEST_OCTAVE, octaves, step));
      } else {
        int at = (int) random.below(held.slots.size());
        held.free(ops, at);
        int last = held.slots.removeLast();
        long lastSize = held.sizes.removeLast();
        if (at < held.slots.size()) {
          held.slots.set(at, last);
          held.sizes.set(at, lastSize);
        }
      }
    }
  }

  /// Every iteration scales all sizes by 0.90 to 1.10, and each buffer by another 0.98 to 1.02.
  private static void training(Ops ops) {
    Random random = new Random(6);
    long[] base = new long[2000];
    for (int i = 0; i < base.length; i++) base[i] = random.logSize(12, 26, 32);
    for (int iteration = 0; iteration < 100; iteration++) {
      long scale = 9000 + random.below(2001);
      Held held = new Held();
      for (long size : base) {
        long jitter = 9800 + random.below(401);
        long scaled = up(Math.max(32, size * scale / 10_000 * jitter / 10_000), 32);
        held.add(ops, Math.min(scaled, 64 * KIB * KIB));
      }
      for (int i = base.length - 1; i >= 0; i--) held.free(ops, i);
    }
  }

  private static long up(long size, long step) {
    return (size + step - 1) / step * step;
  }

  /// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, *Fast Splittable Pseudorandom Number
  /// Generators*, 2014).
  private static final class Random {
    private long state;

    Random(long seed) {
      state = seed;
    }

    long next() {
      state += 0x9E3779B97F4A7C15L;
      long mixed = state;
      mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
      mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
      return mixed ^ (mixed >>> 31);
    }

    /// A number below a bound of at most 32 bits.
    long below(long bound) {
      return ((next() >>> 32) * bound) >>> 32;
    }

    /// An octave at random, then a size in it at random, rounded up.
    long logSize(int fromOctave, int toOctave, long step) {
      int octave = fromOctave + (int) below(toOctave - fromOctave);
      return up((1L << octave) + below(1L << octave), step);
    }
  }
}
