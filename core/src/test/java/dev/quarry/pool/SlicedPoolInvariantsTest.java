package dev.quarry.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarry.failure.ErrorGraph;
import dev.quarry.layout.PoolSpec;
import dev.quarry.size.Alignment;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Live slices and free extents are exactly the pages, after every step of random work.
///
/// Why: bytes that neither a slice nor an extent accounts for are lost until the memory closes, and
/// no report would show them.
final class SlicedPoolInvariantsTest {
  private static final Object OWNER = new Object();
  private static final long[] ALIGNMENTS = {1, 4, 10, 32, 50, 64, 512};

  @Test
  void noByteIsLostOrHeldTwice() {
    for (long seed = 1; seed <= 200; seed++) new RandomWork(seed).take(400);
  }

  private static final class RandomWork {
    private final long seed;
    private final SplittableRandom random;
    private final SlicedPool pool;
    private final HandBack handBack = new HandBack();
    private final CountingStorage storage;
    private final long pageSize;
    private final List<Slice> live = new ArrayList<>();

    RandomWork(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
      Alignment alignment = new Alignment(ALIGNMENTS[random.nextInt(ALIGNMENTS.length)]);
      pageSize = alignment.up(1 + random.nextInt(5000));
      storage = new CountingStorage(1, random.nextInt(4) == 0 ? pageSize * 3 : Long.MAX_VALUE);
      OptionalLong cap =
          random.nextBoolean()
              ? OptionalLong.empty()
              : OptionalLong.of(pageSize * (1 + random.nextInt(5)));
      pool =
          new SlicedPool(
              0,
              new PoolSpec.Sliced(pageSize, OptionalLong.of(pageSize), cap, OptionalLong.empty()),
              new Pool.Site(
                  alignment, handBack, new Backing(storage, null), new IdSource(new ErrorGraph())));
    }

    void take(int steps) {
      int closesInHundred = 50;
      for (int i = 0; i < steps; i++) {
        if (i % 50 == 0) closesInHundred = 10 + random.nextInt(85);
        if (random.nextInt(40) == 0) pool.cleanUp(0);
        else if (random.nextInt(100) < closesInHundred && !live.isEmpty()) closeOne();
        else reserve(random.nextInt(6) == 0 ? 0 : random.nextLong(pageSize + 1));
        assertThat(pool.isConsistent(live)).as("seed %d, step %d", seed, i).isTrue();
        assertThat(storage.bytesAllocated()).isEqualTo(pool.bytesReserved());
      }
      while (!live.isEmpty()) closeOne();
      assertThat(pool.isConsistent(live)).as("seed %d, all closed", seed).isTrue();
      pool.cleanUp(0);
      assertThat(pool.bytesReserved()).isZero();
      assertThat(storage.bytesAllocated()).isZero();
    }

    private void reserve(long size) {
      @Nullable Slice slice = pool.tryReserve(OWNER, size);
      Placed placed = slice != null ? slice : pool.grow(OWNER, size, Mapping.EAGER);
      if (placed instanceof Slice served) live.add(served);
    }

    private void closeOne() {
      Slice slice = live.remove(random.nextInt(live.size()));
      assertThat(slice.giveUp()).isTrue();
      assertThat(handBack.takeAll()).isSameAs(slice);
      slice.next = null;
      pool.takeBack(slice);
    }
  }
}
