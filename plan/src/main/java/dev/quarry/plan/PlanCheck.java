package dev.quarry.plan;

import dev.quarry.layout.PoolSpec;
import dev.quarry.trace.Trace;
import dev.quarry.trace.TraceEvent;
import dev.quarry.trace.TraceEvent.Allocate;
import dev.quarry.trace.TraceEvent.Free;
import dev.quarry.trace.TraceReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Checks a plan from the trace alone, with code of its own.
///
/// It plays the rules of the pools on plain lists, trusting neither the pools nor the planners:
/// every request must find a pool that takes it, every placement must be aligned, inside its page,
/// and free of every other live placement, and no pool may exceed its cap. Where the trace is the
/// one the plan was measured on, the figures must be those of the plan.
///
/// Slower than a replay, by design: a scan is easier to believe.
public final class PlanCheck {
  private final Plan plan;
  private final List<Model> pools = new ArrayList<>();
  private final Map<Long, Spot> live = new HashMap<>();
  private long requests;
  private long events;
  private long held;
  private long heldPeak;
  private long liveBytes;
  private long load;

  private PlanCheck(Plan plan) {
    this.plan = plan;
    long alignment = plan.device().alignment();
    for (PoolSpec spec : plan.layout().resolve(plan.device()).pools()) {
      pools.add(
          switch (spec) {
            case PoolSpec.Sliced sliced -> new SlicedModel(sliced, alignment);
            case PoolSpec.Exclusive exclusive -> new ExclusiveModel(exclusive, alignment);
            case PoolSpec.Direct direct -> new DirectModel(direct, alignment);
          });
    }
  }

  /// What a check found.
  public sealed interface Verdict {
    /// One sentence.
    String message();

    /// Everything fits.
    ///
    /// @param sameTrace whether the plan was measured on this very trace
    /// @param reserved the most bytes of pages held at once
    /// @param load the largest live sum of sizes asked for
    record Fits(boolean sameTrace, long reserved, long load) implements Verdict {
      @Override
      public String message() {
        return sameTrace
            ? "the work fits, and needs what the plan says: " + reserved + " bytes"
            : "the work fits, with "
                + reserved
                + " bytes; it is not the work the plan was measured on";
      }
    }

    /// A request does not fit.
    ///
    /// @param event the number of its event, from 1
    /// @param name the allocation's tag, or its id where it has none
    /// @param size the bytes asked for
    /// @param reason why not
    record DoesNotFit(long event, String name, long size, String reason) implements Verdict {
      @Override
      public String message() {
        return "event "
            + event
            + ": allocation "
            + name
            + " of "
            + size
            + " bytes does not fit: "
            + reason;
      }
    }

    /// Everything fits, but the plan's figures are not those of the trace it says it was measured
    /// on.
    ///
    /// @param figure which figure
    /// @param planned what the plan says
    /// @param found what the trace needs
    record Differs(String figure, long planned, long found) implements Verdict {
      @Override
      public String message() {
        return "the plan says " + figure + " " + planned + ", and the trace needs " + found;
      }
    }
  }

  /// Checks a plan against a trace.
  ///
  /// @throws dev.quarry.trace.TraceException when the trace can not be read, or its live sizes
  ///   exceed what a long can hold
  /// @throws dev.quarry.layout.LayoutException when the plan's layout does not resolve
  public static Verdict check(Trace trace, Plan plan) {
    return check(trace, plan, position -> {});
  }

  /// Checks a plan against a trace.
  ///
  /// @param progress told the reader's position now and then
  /// @throws dev.quarry.trace.TraceException when the trace can not be read, or its live sizes
  ///   exceed what a long can hold
  /// @throws dev.quarry.layout.LayoutException when the plan's layout does not resolve
  public static Verdict check(Trace trace, Plan plan, LongConsumer progress) {
    PlanCheck check = new PlanCheck(plan);
    try (TraceReader reader = trace.open()) {
      for (TraceEvent event = reader.next(); event != null; event = reader.next()) {
        if ((++check.events & 0xfff) == 0) progress.accept(reader.position());
        if (event instanceof Allocate asked) {
          Optional<String> problem = check.allocate(asked);
          if (problem.isPresent()) return check.doesNotFit(asked, problem.get());
        } else if (event instanceof Free free && free.kind() == Free.Kind.COMPLETED) {
          check.free(free);
        }
      }
    } catch (ArithmeticException _) {
      throw LowerBound.tooLarge(trace.name(), check.events);
    }
    return check.compare(trace.sha256().equals(plan.source().sha256()));
  }

  private Verdict doesNotFit(Allocate asked, String reason) {
    String name = asked.tag() == null ? String.valueOf(asked.id()) : asked.tag();
    return new Verdict.DoesNotFit(events, name, asked.size(), reason);
  }

  private Verdict compare(boolean sameTrace) {
    if (sameTrace && heldPeak != plan.reserved())
      return new Verdict.Differs("reserved", plan.reserved(), heldPeak);
    if (sameTrace && load != plan.load()) return new Verdict.Differs("load", plan.load(), load);
    return new Verdict.Fits(sameTrace, heldPeak, load);
  }

  /// Places a request and proves the placement; gives the problem if there is one.
  private Optional<String> allocate(Allocate asked) {
    requests++;
    liveBytes = Math.addExact(liveBytes, asked.size());
    load = Math.max(load, liveBytes);
    for (Model pool : pools) held -= pool.age(requests);
    String reason = "no pool takes that size";
    for (Model pool : pools) {
      if (!pool.takes(asked.size())) continue;
      Model.Answer answer = pool.place(asked.size());
      if (answer.spot == null) {
        reason = "a pool is at its cap of " + pool.cap() + " bytes";
        continue;
      }
      if (answer.bytesAdded > Long.MAX_VALUE - held)
        return Optional.of("the pages would exceed " + Long.MAX_VALUE + " bytes");
      held += answer.bytesAdded;
      heldPeak = Math.max(heldPeak, held);
      live.put(asked.id(), answer.spot);
      return answer.spot.page.problemWith(answer.spot, asked.alignment());
    }
    return Optional.of(reason);
  }

  private void free(Free free) {
    Spot spot = live.remove(free.id());
    if (spot == null) return;
    liveBytes -= free.size();
    spot.page.taken.remove(spot.from, spot);
    spot.pool.free(spot);
  }

  /// Where a request was placed: `size` bytes asked for, `length` bytes taken.
  private record Spot(Model pool, ModelPage page, long from, long size, long length) {}

  /// A page, with what lies on it.
  private static class ModelPage {
    final long size;
    boolean live;
    int freeCount;
    int number;
    final TreeMap<Long, Spot> taken = new TreeMap<>();

    /// Free extents of a sliced page, in order: from, to, from, to and so on.
    long[] extents = new long[8];

    int extentBounds;

    ModelPage(long size) {
      this.size = size;
    }

    Optional<String> problemWith(Spot spot, long alignment) {
      if (spot.from % alignment != 0)
        return Optional.of("its offset " + spot.from + " is no multiple of " + alignment);
      if (spot.from < 0 || spot.length < spot.size || spot.from + spot.length > size)
        return Optional.of("it leaves its page of " + size + " bytes");
      if (spot.length == 0) return Optional.empty();
      Entry<Long, Spot> before = taken.floorEntry(spot.from);
      Entry<Long, Spot> after = taken.ceilingEntry(spot.from);
      boolean overlaps =
          (before != null && before.getValue().from + before.getValue().length > spot.from)
              || (after != null && spot.from + spot.length > after.getKey());
      if (overlaps)
        return Optional.of("it overlaps another live allocation at offset " + spot.from);
      taken.put(spot.from, spot);
      return Optional.empty();
    }
  }

  /// The rules of one kind of pool.
  private abstract static class Model {
    final long alignment;

    Model(long alignment) {
      this.alignment = alignment;
    }

    /// A placement and the bytes of pages it added, which may be negative; no placement when the
    /// pool is at its cap.
    record Answer(@Nullable Spot spot, long bytesAdded) {}

    abstract boolean takes(long size);

    abstract Answer place(long size);

    abstract void free(Spot spot);

    /// Lets unused pages go before a request; gives their bytes.
    long age(long requests) {
      return 0;
    }

    long cap() {
      return Long.MAX_VALUE;
    }

    final long rounded(long size) {
      return Math.multiplyExact(Math.ceilDiv(size, alignment), alignment);
    }
  }

  private static final class SlicedModel extends Model {
    private final PoolSpec.Sliced spec;
    private final List<ModelPage> pages = new ArrayList<>();

    SlicedModel(PoolSpec.Sliced spec, long alignment) {
      super(alignment);
      this.spec = spec;
    }

    @Override
    boolean takes(long size) {
      long page = spec.pageSize();
      if (size <= spec.maxSliceSize().orElse(page)) return true;
      // Less than a fifth of the page left over; only where pages may be added for ever.
      return spec.maxPoolSize().isEmpty() && size <= page && page - size <= (page - 1) / 5;
    }

    @Override
    Answer place(long size) {
      for (ModelPage page : pages) {
        OptionalLong from = carve(page, size);
        if (from.isPresent()) return new Answer(spot(page, from.getAsLong(), size), 0);
      }
      if (size == 0 && !pages.isEmpty()) return new Answer(spot(pages.getFirst(), 0, 0), 0);
      if (pages.size() >= cap() / spec.pageSize()) return new Answer(null, 0);
      ModelPage page = new ModelPage(spec.pageSize());
      page.extents[1] = page.size;
      page.extentBounds = 2;
      pages.add(page);
      return new Answer(spot(page, carve(page, size).orElseThrow(), size), page.size);
    }

    private Spot spot(ModelPage page, long from, long size) {
      return new Spot(this, page, from, size, rounded(size));
    }

    private OptionalLong carve(ModelPage page, long size) {
      long length = rounded(size);
      for (int i = 0; i < page.extentBounds; i += 2) {
        long from = page.extents[i];
        if (page.extents[i + 1] - from < length) continue;
        page.extents[i] += length;
        if (page.extents[i] == page.extents[i + 1]) cut(page, i);
        return OptionalLong.of(from);
      }
      return OptionalLong.empty();
    }

    private static void cut(ModelPage page, int i) {
      System.arraycopy(page.extents, i + 2, page.extents, i, page.extentBounds - i - 2);
      page.extentBounds -= 2;
    }

    @Override
    void free(Spot spot) {
      if (spot.length == 0) return;
      ModelPage page = spot.page;
      if (page.extentBounds == page.extents.length)
        page.extents = Arrays.copyOf(page.extents, page.extents.length * 2);
      int i = 0;
      while (i < page.extentBounds && page.extents[i] < spot.from) i += 2;
      System.arraycopy(page.extents, i, page.extents, i + 2, page.extentBounds - i);
      page.extentBounds += 2;
      page.extents[i] = spot.from;
      page.extents[i + 1] = spot.from + spot.length;
      if (i + 2 < page.extentBounds && page.extents[i + 2] == page.extents[i + 1]) {
        page.extents[i + 1] = page.extents[i + 3];
        cut(page, i + 2);
      }
      if (i > 0 && page.extents[i - 1] == page.extents[i]) {
        page.extents[i - 1] = page.extents[i + 1];
        cut(page, i);
      }
    }

    @Override
    long cap() {
      return spec.maxPoolSize().orElse(Long.MAX_VALUE);
    }
  }

  private static final class ExclusiveModel extends Model {
    private final PoolSpec.Exclusive spec;
    private final List<ModelPage> pages = new ArrayList<>();
    private double average;
    private long lastCheck;

    ExclusiveModel(PoolSpec.Exclusive spec, long alignment) {
      super(alignment);
      this.spec = spec;
      this.average = spec.maxAllocSize() / 2.0;
    }

    @Override
    boolean takes(long size) {
      return size <= spec.maxAllocSize();
    }

    @Override
    long age(long requests) {
      if (spec.deallocPeriod().isEmpty()
          || requests - lastCheck < spec.deallocPeriod().getAsLong() / 5) return 0;
      lastCheck = requests;
      long gone = 0;
      for (ModelPage page : List.copyOf(pages)) {
        if (page.live || ++page.freeCount < 5) continue;
        pages.remove(page);
        gone += page.size;
      }
      return gone;
    }

    @Override
    Answer place(long size) {
      average = average * (1 - 0.01) + size * 0.01;
      ModelPage chosen = null;
      for (ModelPage page : pages) {
        if (page.live || page.size < size) continue;
        if (chosen == null || page.freeCount < chosen.freeCount) chosen = page;
      }
      long added = 0;
      if (chosen == null) {
        chosen = new ModelPage(rounded(Math.max((long) average, size)));
        chosen.freeCount = 4;
        pages.add(chosen);
        added = chosen.size;
      } else if (chosen.freeCount > 0) {
        chosen.freeCount--;
      }
      chosen.live = true;
      return new Answer(new Spot(this, chosen, 0, size, rounded(size)), added);
    }

    @Override
    void free(Spot spot) {
      spot.page.live = false;
    }
  }

  private static final class DirectModel extends Model {
    private final PoolSpec.Direct spec;

    /// Pages by place; null where one is gone.
    private final List<@Nullable ModelPage> places = new ArrayList<>();

    private final List<Integer> vacant = new ArrayList<>();
    private final Map<Long, TreeSet<Integer>> freeBySize = new HashMap<>();
    private long bytes;

    DirectModel(PoolSpec.Direct spec, long alignment) {
      super(alignment);
      this.spec = spec;
    }

    @Override
    boolean takes(long size) {
      return true;
    }

    @Override
    Answer place(long size) {
      long length = rounded(size);
      TreeSet<Integer> same = freeBySize.computeIfAbsent(length, any -> new TreeSet<>());
      Integer free = same.pollFirst();
      if (free != null) {
        ModelPage page = places.get(free);
        if (page == null) throw new IllegalStateException("a free place holds its page");
        page.live = true;
        return new Answer(new Spot(this, page, 0, size, length), 0);
      }
      long reclaimed = reclaimFor(length);
      ModelPage page = new ModelPage(length);
      page.live = true;
      page.number = vacant.isEmpty() ? places.size() : vacant.removeLast();
      if (page.number == places.size()) places.add(page);
      else places.set(page.number, page);
      bytes += length;
      return new Answer(new Spot(this, page, 0, size, length), length - reclaimed);
    }

    private long reclaimFor(long length) {
      long reclaimed = 0;
      for (int i = 0;
          i < places.size()
              && spec.reclaimAt().isPresent()
              && length > spec.reclaimAt().getAsLong() - bytes;
          i++) {
        ModelPage page = places.get(i);
        if (page == null || page.live) continue;
        places.set(i, null);
        vacant.add(i);
        freeBySize.getOrDefault(page.size, new TreeSet<>()).remove(i);
        bytes -= page.size;
        reclaimed += page.size;
      }
      return reclaimed;
    }

    @Override
    void free(Spot spot) {
      spot.page.live = false;
      freeBySize.computeIfAbsent(spot.length, any -> new TreeSet<>()).add(spot.page.number);
    }
  }
}
