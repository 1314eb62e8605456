package dev.quarry.runtime;

import dev.quarry.failure.WorkFailure;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// What a piece of work is called, reads and writes. Immutable, and may be launched any number of
/// times while its buffers are open.
///
/// A buffer that is changed in place is named on both sides. A buffer that is only partly written
/// is named by a [view][Buffer#view] of that part, or its whole window counts as written.
public final class Launch {
  private static final Buffer[] NONE = {};

  final String name;
  final Buffer[] reads;
  final Buffer[] writes;
  final Supplier<Optional<WorkFailure>> preparation;

  private Launch(
      String name, Buffer[] reads, Buffer[] writes, Supplier<Optional<WorkFailure>> preparation) {
    this.name = name;
    this.reads = reads;
    this.writes = writes;
    this.preparation = preparation;
  }

  /// Work with this short name, which failures are told by; it reads and writes nothing yet.
  public static Launch named(String name) {
    return new Launch(name, NONE, NONE, Optional::empty);
  }

  /// This launch, reading these buffers too.
  public Launch reads(Buffer... more) {
    return new Launch(name, joined(reads, more), writes, preparation);
  }

  /// This launch, writing these buffers too.
  public Launch writes(Buffer... more) {
    return new Launch(name, reads, joined(writes, more), preparation);
  }

  /// This launch, prepared by compiling, checking or filling caches: done before anything else on
  /// the launching thread, also where the launch is then skipped by a dry run. A failure it answers
  /// with fails the launch.
  public Launch prepared(Supplier<Optional<WorkFailure>> preparation) {
    return new Launch(name, reads, writes, preparation);
  }

  /// The short name.
  public String name() {
    return name;
  }

  private static Buffer[] joined(Buffer[] some, Buffer[] more) {
    return Stream.concat(Arrays.stream(some), Arrays.stream(more)).toArray(Buffer[]::new);
  }

  @Override
  public String toString() {
    return "launch '" + name + "'";
  }
}
