package dev.quarry.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarry.Binding;
import dev.quarry.DeviceMemory;
import dev.quarry.GraphCapture;
import dev.quarry.Handle;
import dev.quarry.MemoryOptions;
import dev.quarry.Owner;
import dev.quarry.PersistentWindow;
import dev.quarry.Reservation;
import dev.quarry.failure.AllocationId;
import dev.quarry.failure.FailureId;
import dev.quarry.failure.MemoryException;
import dev.quarry.failure.MemoryFailure;
import dev.quarry.failure.WorkFailure;
import dev.quarry.layout.Layout;
import dev.quarry.layout.LayoutException;
import dev.quarry.layout.PoolSpec;
import dev.quarry.layout.ResolvedLayout;
import dev.quarry.report.MemoryReport;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.BytesStorage;
import dev.quarry.storage.CountingStorage;
import dev.quarry.storage.RecordingStorage;
import dev.quarry.storage.Region;
import dev.quarry.storage.Storage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A memory and the model of one, taking the same steps. After each of them everything that can be
/// seen of the two must be the same.
final class Duel {
  private static final int OWNERS_LOOKED_AT = 10;

  /// An owner of a memory that takes no part.
  private static final Handle STRANGER = DeviceMemory.onHost().reserve(64);

  private final Scenario scenario;
  private final List<ResolvedLayout> layouts;
  private final RecordingStorage<?> storage;
  private final DeviceMemory<?> memory;
  private final NaiveMemory model;

  private final List<Owned> owners = new ArrayList<>();
  private final List<Owned> closed = new ArrayList<>();
  private final List<PersistentWindow> windows = new ArrayList<>();
  private final Set<AllocationId> ids = new HashSet<>();
  private @Nullable GraphCapture capture;
  private int steps;
  private int nextLook;

  /// Where readable steps go; null while nobody reads them.
  private final @Nullable List<String> journal;

  private record Owned(Owner real, NaiveAllocation model) {
    boolean isHandle() {
      return real instanceof Handle;
    }
  }

  private Duel(Scenario scenario, @Nullable List<String> journal) {
    this.scenario = scenario;
    this.journal = journal;
    layouts = scenario.layouts().stream().map(each -> each.resolve(scenario.properties())).toList();
    Storage<?> inner =
        scenario.onBytes()
            ? new BytesStorage(scenario.capacity())
            : new CountingStorage(1, scenario.capacity());
    storage = new RecordingStorage<>(inner);
    DeviceMemory.Builder<?> builder =
        DeviceMemory.on(storage, scenario.properties())
            .name("duel")
            .layout(scenario.layouts().getFirst())
            .options(MemoryOptions.DEFAULT.with(scenario.setting()));
    scenario.mode().ifPresent(builder::mode);
    memory = builder.logger(new SilentLogger()).open();
    model =
        new NaiveMemory(
            "duel", layouts.getFirst(), scenario.capacity(), scenario.setting(), scenario.mode());
  }

  /// Takes all steps, then gives everything back.
  ///
  /// @throws AssertionError where the two differ
  static void fight(Scenario scenario, List<Step> steps) {
    new Duel(scenario, null).take(steps);
  }

  /// Takes the steps once more and tells them.
  static List<String> narrate(Scenario scenario, List<Step> steps) {
    List<String> journal = new ArrayList<>();
    try {
      new Duel(scenario, journal).take(steps);
    } catch (AssertionError | RuntimeException e) {
      journal.add("  => " + e);
    }
    return journal;
  }

  private void take(List<Step> all) {
    for (Step step : all) {
      take(step);
      compare();
      steps++;
    }
    giveEverythingBack();
  }

  private void tell(String outcome) {
    if (journal != null) journal.add("    " + outcome);
  }

  // The steps.

  private void take(Step step) {
    if (journal != null) journal.add(step.toString());
    switch (step) {
      case Step.Reserve reserve -> reserve(reserve);
      case Step.Close(int owner) -> pick(owner).ifPresent(this::close);
      case Step.Duplicate(int owner) -> pick(owner).ifPresent(this::duplicate);
      case Step.Bind(int owner) -> pick(owner).ifPresent(this::bind);
      case Step.IntoBinding(int owner) -> pick(owner).ifPresent(this::intoBinding);
      case Step.Locate(int owner) -> pick(owner).ifPresent(this::locate);
      case Step.Misuse(int owner) -> misuse(owner);
      case Step.CleanUp() -> {
        memory.cleanUp();
        model.cleanUp();
      }
      case Step.Install(int layout) -> install(layouts.get(layout));
      case Step.InstallNonsense() -> installNonsense();
      case Step.OpenWindow() -> {
        windows.add(memory.persistent());
        model.openWindow();
      }
      case Step.CloseWindow(int window) -> closeWindow(window);
      case Step.BeginCapture() -> {
        capture = memory.capture();
        model.beginCapture();
      }
      case Step.EndPriming() -> {
        if (capture != null) capture.endPriming();
        model.endPriming();
      }
      case Step.EndCapture(boolean keepPins) -> endCapture(keepPins);
      case Step.Taint taint -> pick(taint.owner()).ifPresent(owned -> taint(owned, taint));
      case Step.Written written ->
          pick(written.owner()).ifPresent(owned -> written(owned, written));
      case Step.Failure failure ->
          pick(failure.owner()).ifPresent(owned -> failure(owned, failure));
    }
  }

  private Optional<Owned> pick(int number) {
    return owners.isEmpty() ? Optional.empty() : Optional.of(owners.get(number % owners.size()));
  }

  private void reserve(Step.Reserve step) {
    Reservation real = memory.tryReserve(step.size(), step.mapping());
    NaiveOutcome expected = model.reserve(step.size(), step.mapping());
    tell(
        real instanceof Handle handle
            ? handle.id() + " at " + memory.placement(handle)
            : real.toString());
    switch (expected) {
      case NaiveOutcome.Refused(MemoryFailure failure) ->
          assertThat(real).isEqualTo(new Reservation.Refused(failure));
      case NaiveOutcome.Served(NaiveAllocation allocation) -> {
        assertThat(real).isInstanceOf(Handle.class);
        Owned owned = own((Owner) real, allocation);
        assertThat(ids.add(owned.real.id())).as("a new identity").isTrue();
        assertThat(memory.placement(owned.real)).isEqualTo(allocation.placement());
        assertThat(memory.cursor(owned.real)).isZero();
      }
    }
  }

  private Owned own(Owner real, NaiveAllocation allocation) {
    Owned owned = new Owned(real, allocation);
    owners.add(owned);
    return owned;
  }

  private void close(Owned owned) {
    checkContent(owned);
    owned.real.close();
    lose(owned);
  }

  private void lose(Owned owned) {
    if (owned.isHandle()) owned.model.handles--;
    else owned.model.bindings--;
    owners.remove(owned);
    closed.add(owned);
    if (closed.size() > OWNERS_LOOKED_AT) closed.removeFirst();
  }

  private void duplicate(Owned owned) {
    if (!(owned.real instanceof Handle handle)) return;
    own(handle.duplicate(), owned.model);
    owned.model.handles++;
  }

  private void bind(Owned owned) {
    own(owned.real.binding(), owned.model);
    owned.model.bindings++;
  }

  private void intoBinding(Owned owned) {
    if (!(owned.real instanceof Handle handle)) return;
    Binding binding = handle.intoBinding();
    own(binding, owned.model);
    owned.model.bindings++;
    lose(owned);
  }

  private void locate(Owned owned) {
    Object real = outcome(() -> memory.locate(owned.real));
    Object expected = outcome(() -> model.locate(owned.model));
    assertThat(real).isEqualTo(expected);
    if (!(real instanceof Region)) return;
    if (memory.resource(owned.real) instanceof MemorySegment bytes) {
      assertThat(bytes.byteSize()).isEqualTo(owned.model.size);
      checkContent(owned);
      owned.model.content = steps % 127;
      bytes.fill((byte) owned.model.content);
    }
  }

  private interface Attempt {
    Object make();
  }

  private static Object outcome(Attempt attempt) {
    try {
      return attempt.make();
    } catch (MemoryException e) {
      return e.failure();
    }
  }

  /// Nobody else wrote into an allocation: looks at its ends and some bytes between.
  private void checkContent(Owned owned) {
    if (owned.model.content < 0 || owned.model.size == 0) return;
    MemorySegment bytes = (MemorySegment) memory.resource(owned.real);
    long stride = Math.max(1, bytes.byteSize() / 16);
    for (long at = 0; at < bytes.byteSize(); at += stride) {
      assertThat(bytes.get(ValueLayout.JAVA_BYTE, at)).isEqualTo((byte) owned.model.content);
    }
    assertThat(bytes.get(ValueLayout.JAVA_BYTE, bytes.byteSize() - 1))
        .isEqualTo((byte) owned.model.content);
  }

  private void misuse(int number) {
    assertThat(outcome(() -> memory.locate(STRANGER))).isInstanceOf(MemoryFailure.NotFound.class);
    if (closed.isEmpty()) return;
    Owner stale = closed.get(number % closed.size()).real;
    stale.close();
    assertThat(stale.isClosed()).isTrue();
    assertThat(outcome(() -> memory.locate(stale))).isInstanceOf(MemoryFailure.NotFound.class);
    assertThat(outcome(() -> memory.placement(stale))).isInstanceOf(MemoryFailure.NotFound.class);
    assertThatThrownBy(stale::binding).isInstanceOf(IllegalStateException.class);
    assertThat(memory.failure(stale, 0, Long.MAX_VALUE)).isEmpty();
    memory.written(stale, 0, Long.MAX_VALUE);
    if (!(stale instanceof Handle handle)) return;
    assertThat(handle.canMut()).isFalse();
    assertThatThrownBy(handle::duplicate).isInstanceOf(IllegalStateException.class);
  }

  private void install(ResolvedLayout layout) {
    Object refusal = memory.tryInstall(layout);
    tell(layout + ": " + refusal);
    assertThat(refusal).isEqualTo(model.install(layout));
  }

  private void installNonsense() {
    Layout nonsense = Layout.of(PoolSpec.sliced(0));
    assertThatThrownBy(() -> memory.install(nonsense)).isInstanceOf(LayoutException.class);
  }

  private void closeWindow(int number) {
    if (windows.isEmpty()) return;
    PersistentWindow window = windows.remove(number % windows.size());
    window.close();
    window.close();
    model.closeWindow();
  }

  private void endCapture(boolean keepPins) {
    if (capture == null) return;
    List<Handle> pins = capture.end();
    List<NaiveAllocation> expected = model.endCapture();
    capture = null;
    assertThat(pins).hasSameSizeAs(expected);
    List<Owned> pinned = new ArrayList<>();
    for (int i = 0; i < pins.size(); i++) pinned.add(own(pins.get(i), expected.get(i)));
    pinned.forEach(this::compareOwner);
    if (!keepPins) pinned.forEach(this::close);
  }

  private static long at(Owned owned, double fraction) {
    return (long) (owned.model.size * fraction);
  }

  private void taint(Owned owned, Step.Taint step) {
    List<FailureId> present = model.failures();
    FailureId failure =
        step.fresh() || present.isEmpty()
            ? memory.errors().insert(new WorkFailure.Generic("step " + steps))
            : present.get(step.owner() % present.size());
    memory.taint(owned.real, at(owned, step.from()), at(owned, step.to()), failure);
    memory.errors().prune(failure);
    owned.model.claims.paint(at(owned, step.from()), at(owned, step.to()), failure);
  }

  private void written(Owned owned, Step.Written step) {
    memory.written(owned.real, at(owned, step.from()), at(owned, step.to()));
    owned.model.claims.wipe(at(owned, step.from()), at(owned, step.to()));
  }

  private void failure(Owned owned, Step.Failure step) {
    Optional<FailureId> real =
        memory.failure(owned.real, at(owned, step.from()), at(owned, step.to()));
    assertThat(real)
        .isEqualTo(owned.model.claims.first(at(owned, step.from()), at(owned, step.to())));
  }

  // What can be seen.

  private void compare() {
    if (!storage.calls().equals(model.storage.calls))
      assertThat(storage.calls()).as("calls of the storage").isEqualTo(model.storage.calls);
    storage.calls().clear();
    model.storage.calls.clear();
    if (memory.mode() != model.mode()) assertThat(memory.mode()).isEqualTo(model.mode());
    int failures = model.failures().size();
    if (memory.errors().size() != failures)
      assertThat(memory.errors().size()).as("failures present").isEqualTo(failures);
    if (steps < nextLook) return;
    nextLook = steps + scenario.lookEvery();
    compareReports();
    compareOwners();
  }

  private void compareReports() {
    MemoryReport real = memory.report();
    MemoryReport expected = model.report();
    if (!real.equals(expected)) {
      for (int i = 0; i < expected.pools().size(); i++)
        assertThat(real.pools().get(i)).as("pool %d", i).isEqualTo(expected.pools().get(i));
      assertThat(real).isEqualTo(expected);
    }
    if (!memory.usage().equals(real.usage())) assertThat(memory.usage()).isEqualTo(real.usage());
    long unmapped = 0;
    if (real.pools().stream().mapToInt(PoolReport::pagesUnmapped).sum() > 0
        || real.persistent().pagesUnmapped() > 0) unmapped = model.bytesUnmapped();
    long mapped = real.usage().bytesReserved() - unmapped;
    if (storage.bytesAllocated() != mapped)
      assertThat(storage.bytesAllocated()).as("bytes of the storage").isEqualTo(mapped);
    int failures = model.failures().size();
    if (memory.errors().size() != failures)
      assertThat(memory.errors().size()).as("failures present").isEqualTo(failures);
  }

  /// All of them when they are few, else some, others each time.
  private void compareOwners() {
    int count = Math.min(OWNERS_LOOKED_AT, owners.size());
    for (int i = 0; i < count; i++) compareOwner(owners.get((steps * 7 + i) % owners.size()));
    for (Owned each : closed) {
      if (each.real.isFree() != each.model.isFree())
        assertThat(each.real.isFree()).as("%s is free", each.real).isEqualTo(each.model.isFree());
    }
  }

  private void compareOwner(Owned owned) {
    boolean same =
        memory.placement(owned.real).equals(owned.model.placement())
            && owned.real.size() == owned.model.size
            && owned.real.isFree() == owned.model.isFree()
            && (!(owned.real instanceof Handle handle) || handle.canMut() == owned.model.canMut());
    if (same) return;
    assertThat(memory.placement(owned.real)).isEqualTo(owned.model.placement());
    assertThat(owned.real.size()).isEqualTo(owned.model.size);
    assertThat(owned.real.isFree()).as("%s is free", owned.real).isEqualTo(owned.model.isFree());
    assertThat(((Handle) owned.real).canMut())
        .as("%s may be written in place", owned.real)
        .isEqualTo(owned.model.canMut());
  }

  // The end.

  private void giveEverythingBack() {
    if (journal != null) journal.add("give everything back");
    endCapture(false);
    while (!windows.isEmpty()) closeWindow(0);
    while (!owners.isEmpty()) close(owners.getLast());
    memory.cleanUp();
    model.cleanUp();
    nextLook = 0;
    compare();
    assertThat(memory.usage().bytesReserved()).isZero();
    assertThat(storage.bytesAllocated()).isZero();
    assertThat(memory.errors().isEmpty()).isTrue();
    memory.close();
  }
}
