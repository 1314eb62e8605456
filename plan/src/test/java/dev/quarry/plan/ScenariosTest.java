package dev.quarry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.DeviceMemory;
import dev.quarry.Handle;
import dev.quarry.failure.MemoryFailure.PoolCapacityExceeded;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutError.CapSmallerThanPage;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.Preset;
import dev.quarry.plan.PlanCheck.Verdict;
import dev.quarry.plan.PlanCheck.Verdict.DoesNotFit;
import dev.quarry.plan.PlanCheck.Verdict.Fits;
import dev.quarry.replay.Replay;
import dev.quarry.replay.ReplayResult;
import dev.quarry.replay.ReplayResult.Refusal;
import dev.quarry.replay.Script;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What people reported of other allocators, as work for our pools, with our answer by hand.
///
/// Why: each report stands for a kind of fault. A pool that has none of them is worth planning for.
class ScenariosTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;
  private static final DeviceProperties DEVICE = new DeviceProperties(32 * GIB, 512);

  private final Script script = new Script();

  private ReplayResult replay(String layout) {
    return Replay.of(script.trace(), Layout.parse(layout), DEVICE);
  }

  private Plan arena() {
    Plan plan = new ArenaSearch().plan(script.trace(), DEVICE);
    assertThat(PlanCheck.check(script.trace(), plan))
        .isEqualTo(new Fits(true, plan.reserved(), plan.load()));
    return plan;
  }

  /// ROCm/legacy-rocm-build#6333: every batch longer than all before adds its whole logits buffer
  /// to what is reserved, 27.488 GiB in the end for a live peak of 13.332.
  ///
  /// A token takes 303872 bytes of logits and 395104 of other work, 698976 in all, and a batch is
  /// all that lives: 20480 * 698976 = 14315028480 bytes (13.332 GiB) are enough. In one page of
  /// that size each batch begins at 0 again. Exact sizes, never asked for twice, are all kept:
  /// 70980 tokens, and less than 512 bytes of padding behind each of the 8 buffers.
  @Test
  void aLongerBatchNeedsWhatItsLivePeakNeedsAndNotTheSumOfAllSteps() {
    long[] batches = {17_000, 19_000, 20_480, 14_500};
    for (long tokens : batches) {
      int logits = script.take(303_872 * tokens);
      int work = script.take(395_104 * tokens);
      script.free(logits).free(work);
    }

    Plan plan = arena();

    assertThat(plan.load()).isEqualTo(14_315_028_480L);
    assertThat(plan.reserved()).isEqualTo(14_315_028_480L);
    assertThat(plan.gap()).isZero();
    assertThat(replay("direct").reservedPeak())
        .isBetween(698_976L * 70_980, 698_976L * 70_980 + 8 * 512);
    assertThat(replay("direct:reclaim=" + plan.load()).reservedPeak()).isEqualTo(plan.load());
  }

  /// rapidsai/rmm#1664: eight blocks of 8 MiB do not fit a limit of 64 MiB, since a first region of
  /// 1000192 bytes is dead weight.
  ///
  /// Our pages begin empty: a cap of 64 MiB is eight pages, one for each block, and the ninth is
  /// refused. A cap without those 1000192 bytes is seven pages; the refusal says so.
  @Test
  void aCapThatIsAMultipleOfTheBlockHoldsThatManyBlocks() {
    for (int i = 0; i < 9; i++) script.take(8 * MIB);

    ReplayResult whole = replay("sliced:page=8MiB,cap=64MiB");
    ReplayResult less = replay("sliced:page=8MiB,cap=" + (64 * MIB - 1_000_192));

    assertThat(whole.refusals()).isOne();
    assertThat(whole.firstRefusal())
        .contains(
            new Refusal(9, "8", 8 * MIB, new PoolCapacityExceeded(8 * MIB, 64 * MIB, 64 * MIB)));
    assertThat(whole.report().pools().getFirst().largestFree()).isZero();
    assertThat(less.firstRefusal())
        .contains(
            new Refusal(8, "7", 8 * MIB, new PoolCapacityExceeded(8 * MIB, 56 * MIB, 56 * MIB)));
  }

  /// rapidsai/rmm#1664, told by the largest request that can still succeed: the longest free
  /// extent, once the cap is reached.
  @Test
  void theReportTellsTheLargestRequestThatCanStillSucceed() {
    for (int i = 0; i < 7; i++) script.take(8 * MIB);
    script.take(5 * MIB);

    PoolReport pool = replay("sliced:page=8MiB,cap=64MiB").report().pools().getFirst();
    script.take(3 * MIB);
    script.take(1);
    ReplayResult result = replay("sliced:page=8MiB,cap=64MiB");

    assertThat(pool.largestFree()).isEqualTo(3 * MIB);
    assertThat(result.firstRefusal().map(Refusal::event)).contains(10L);
  }

  /// rapidsai/rmm#35: 24 GB held for at most 4 GB live, because regions added by growth are not
  /// used again; a start of 4 GB instead of 2 stays at 4.
  ///
  /// Two blocks of k * 128 MiB at a time. Pages of 2 GiB: up to k = 8 both lie in the first; from
  /// then on the second block does not fit behind the first and goes to a second page, where all
  /// later ones go too: 4 GiB. One page of 4 GiB is as good. Pages of 3 GiB hold both up to k = 12,
  /// and two are 6 GiB: that is the cliff.
  @Test
  void pagesAddedByGrowthAreUsedAgain() {
    for (int k = 1; k <= 16; k++) {
      int first = script.take(k * 128 * MIB);
      int second = script.take(k * 128 * MIB);
      script.free(first).free(second);
    }

    assertThat(replay("sliced:page=2GiB").reservedPeak()).isEqualTo(4 * GIB);
    assertThat(replay("sliced:page=4GiB").reservedPeak()).isEqualTo(4 * GIB);
    assertThat(replay("sliced:page=3GiB").reservedPeak()).isEqualTo(6 * GIB);
    assertThat(arena().reserved()).isEqualTo(4 * GIB);
  }

  /// microsoft/onnxruntime#15983: an arena that doubles takes 32 GB for a little over 16 of
  /// weights.
  ///
  /// 70 weights of 256 MiB, kept, are 17.5 GiB. Pages of 1 GiB hold four: 18 pages. Pages of one
  /// weight waste nothing, and neither does one page for all. The preset, told that 8 GiB is the
  /// largest page, has pages of 2 GiB for requests up to 1 GiB: nine pages.
  @Test
  void weightsThatStayNeedLittleMoreThanTheirSizes() {
    for (int i = 0; i < 70; i++) script.take(256 * MIB);

    assertThat(replay("sliced:page=1GiB").reservedPeak()).isEqualTo(18 * GIB);
    assertThat(replay("sliced:page=256MiB").reservedPeak()).isEqualTo(70 * 256 * MIB);
    DeviceProperties smaller = new DeviceProperties(8 * GIB, 512);
    assertThat(Replay.of(script.trace(), Preset.SUB_SLICES, smaller).reservedPeak())
        .isEqualTo(18 * GIB);
    assertThat(arena().reserved()).isEqualTo(70 * 256 * MIB);
  }

  /// vllm-project/vllm#55132: a workspace of 32 GiB, sized for 8192 rows that never come, is taken
  /// out of the cache for ever; 256 rows of 4 MiB are the most there are.
  ///
  /// Measured, the largest step has 256 rows: 1 GiB. A step of 64 rows fits that plan; the 8192
  /// rows do not, and it is the check that says so.
  @Test
  void aWorkspaceIsAsLargeAsWhatWasMeasuredAndNotAsItsBound() {
    long row = 1_048_576 * 4;
    for (long rows : new long[] {64, 4, 256, 128}) script.free(script.take(rows * row));
    Plan plan = arena();
    Script less = new Script();
    less.take(64 * row);
    Script bound = new Script();
    bound.take(8192 * row, 1, "workspace");

    Verdict fits = PlanCheck.check(less.trace(), plan);
    Verdict doesNotFit = PlanCheck.check(bound.trace(), plan);

    assertThat(plan.reserved()).isEqualTo(GIB);
    assertThat(fits).isEqualTo(new Fits(false, GIB, 64 * row));
    assertThat(doesNotFit)
        .isEqualTo(new DoesNotFit(1, "workspace", 34_359_738_368L, "no pool takes that size"));
  }

  /// microsoft/mimalloc#292: small and large blocks alternate, everything is freed, and memory does
  /// not come back. One hundredth of the blocks, and five rounds.
  ///
  /// Blocks of 512 and 131072 bytes. A page of 1 MiB is full with eight large ones, or with seven
  /// and 256 small ones, and first fit makes only such pages: while one takes 256 small blocks, the
  /// large ones fill pages of their own. So nothing is lost: 1500 pairs of 131584 bytes need 189
  /// pages, in each round the same ones.
  @Test
  void smallAndLargeBlocksShareThePagesOfAllRounds() {
    for (int round = 0; round < 5; round++) {
      List<Integer> blocks = new ArrayList<>();
      for (int i = 0; i < 3000; i++) blocks.add(script.take(i % 2 == 1 ? 131_072 : 512));
      blocks.forEach(script::free);
    }

    ReplayResult result = replay("sliced:page=1MiB");

    assertThat(result.load()).isEqualTo(1500 * 131_584);
    assertThat(result.reservedPeak()).isEqualTo(189 * MIB);
    assertThat(result.report().usage().allocations()).isZero();
    assertThat(result.report().pools().getFirst().largestFree()).isEqualTo(MIB);
  }

  /// microsoft/mimalloc#292, the end of it: a clean-up gives every page back.
  @Test
  void memoryComesBackAfterEverythingWasFreed() {
    CountingStorage storage = new CountingStorage();
    try (DeviceMemory<Region> memory =
        DeviceMemory.on(storage, DEVICE).layout(Layout.parse("sliced:page=1MiB")).open()) {
      List<Handle> blocks = new ArrayList<>();
      for (int i = 0; i < 3000; i++) blocks.add(memory.reserve(i % 2 == 1 ? 131_072 : 512));
      assertThat(storage.bytesAllocated()).isEqualTo(189 * MIB);
      blocks.forEach(Handle::close);

      memory.cleanUp();

      assertThat(storage.bytesAllocated()).isZero();
      assertThat(memory.usage().bytesReserved()).isZero();
    }
  }

  /// deeplearning4j/deeplearning4j#9370: a workspace of 8 bytes can not hold 8 bytes, because it
  /// rounds the request to 16 and not itself.
  ///
  /// Our page rounds as requests do: 8 bytes are a page of 16, and take it. A cap of 8 bytes could
  /// never hold that page, and is refused with both numbers before anything is reserved.
  @Test
  void aPoolAndItsRequestsRoundAlikeOrThePoolIsRefused() {
    DeviceProperties device = new DeviceProperties(MIB, 16);
    script.take(8);

    ReplayResult served = Replay.of(script.trace(), Layout.parse("sliced:page=8,cap=16"), device);

    assertThat(served.refusals()).isZero();
    assertThat(served.reservedPeak()).isEqualTo(16);
    assertThatThrownBy(() -> Replay.of(script.trace(), Layout.parse("sliced:page=8,cap=8"), device))
        .isInstanceOfSatisfying(
            LayoutException.class,
            e -> assertThat(e.error()).isEqualTo(new CapSmallerThanPage(16, 8)))
        .hasMessageContaining("16")
        .hasMessageContaining("8");
  }

  /// eclipse-threadx/threadx#371: after everything was freed a pool of 102400 bytes is still in 208
  /// pieces.
  ///
  /// Free extents join their neighbours at once: whatever came and went, the free page is one
  /// extent, and takes a request of its whole size.
  @Test
  void aPageThatIsFreeIsOneExtentAgain() {
    long pool = 102_400;
    Layout layout = Layout.parse("sliced:page=" + pool + ",cap=" + pool);
    for (long seed = 1; seed <= 20; seed++) {
      Refusal full =
          Replay.of(churn(seed, 3000).trace(), layout, DEVICE).firstRefusal().orElseThrow();
      int requests = Integer.parseInt(full.name()) + 1;
      Script churn = churn(seed, requests);
      churn.freeAll();

      ReplayResult freed = Replay.of(churn.trace(), layout, DEVICE);
      churn.take(pool);
      ReplayResult whole = Replay.of(churn.trace(), layout, DEVICE);

      assertThat(freed.refusals()).as("seed %d", seed).isOne();
      assertThat(freed.report().usage().allocations()).as("seed %d", seed).isZero();
      assertThat(freed.report().pools().getFirst().largestFree())
          .as("seed %d", seed)
          .isEqualTo(pool);
      assertThat(whole.refusals()).as("seed %d", seed).isOne();
    }
  }

  /// Takes 1 to 1024 bytes at every step, and frees the oldest at every fifth or so.
  private static Script churn(long seed, int requests) {
    Random random = new Random(seed);
    Script churn = new Script();
    int oldest = 0;
    for (int i = 0; i < requests; i++) {
      if (oldest < i && random.nextInt(5) == 0) churn.free(oldest++);
      churn.take(1 + random.nextInt(1024));
    }
    return churn;
  }
}
