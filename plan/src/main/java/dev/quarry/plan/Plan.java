package dev.quarry.plan;

import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import dev.quarry.layout.PoolSpec;
import dev.quarry.report.PoolReport;
import dev.quarry.storage.DeviceInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A layout with its evidence: what it will reserve, what no layout can undercut, and the work it
/// was measured on. Sizes are bytes. Immutable.
///
/// ```java
/// Layout layout = Plan.read(Path.of("plan.json")).layout();
/// ```
///
/// @param layout what to install
/// @param device what it was measured for
/// @param source the work it was measured on
/// @param reserved the most bytes of pages the work holds at once under this layout
/// @param load the largest live sum of sizes asked for
/// @param predicted the layout's pools after the work, with their marks
public record Plan(
    Layout layout,
    DeviceProperties device,
    Source source,
    long reserved,
    long load,
    List<PoolReport> predicted) {
  /// Copies the list.
  public Plan {
    predicted = List.copyOf(predicted);
  }

  /// The work a plan was measured on.
  ///
  /// @param name what the trace was called
  /// @param format its format
  /// @param sha256 the digest of its bytes, in lower-case hexadecimal
  /// @param events its events
  /// @param allocations the allocations among them
  public record Source(String name, String format, String sha256, long events, long allocations) {}

  /// By how much of LOAD the bytes reserved exceed it: 0.02 is two percent. 0 when nothing was ever
  /// live.
  public double gap() {
    return load == 0 ? 0 : (double) reserved / load - 1;
  }

  /// The layout for a device that the plan was perhaps not measured for.
  ///
  /// @throws PlanException when something [differs][#differences]
  public Layout layoutFor(DeviceInfo other) {
    List<String> differences = differences(other);
    if (!differences.isEmpty())
      throw PlanException.ofWork(
          "the plan does not fit " + other.name() + ": " + String.join("; ", differences));
    return layout;
  }

  /// What keeps the plan from holding on a device, each a phrase with the numbers; empty when the
  /// work it was measured on fits there as it was measured, if nobody else uses the device.
  public List<String> differences(DeviceInfo other) {
    List<String> found = new ArrayList<>();
    if (device.alignment() % other.alignment() != 0)
      found.add(
          "it was measured for offsets at multiples of "
              + device.alignment()
              + " bytes, and the device needs multiples of "
              + other.alignment());
    long page = largestPage();
    if (page > other.maxAllocation())
      found.add(
          "it has pages of "
              + page
              + " bytes, and the device allocates at most "
              + other.maxAllocation()
              + " bytes at once");
    if (reserved > other.total().orElse(Long.MAX_VALUE))
      found.add(
          "it reserves "
              + reserved
              + " bytes, and the device has "
              + other.total().orElse(Long.MAX_VALUE));
    return found;
  }

  private long largestPage() {
    return predicted.stream()
        .mapToLong(
            pool ->
                pool.spec() instanceof PoolSpec.Sliced sliced && pool.pagesPeak() > 0
                    ? sliced.pageSize()
                    : pool.largestAlloc())
        .max()
        .orElse(0);
  }

  /// Reads a plan file.
  ///
  /// @throws PlanException when it can not be read, or is no plan of a version known here
  public static Plan read(Path file) {
    return PlanFile.read(file);
  }

  /// Writes a plan file, whole or not at all. A file that exists is replaced.
  ///
  /// @throws PlanException when it can not be written; what was there before is still there
  public void write(Path file) {
    PlanFile.write(this, file);
  }

  /// The plan as the text of a plan file.
  public String toJson() {
    return PlanFile.text(this);
  }
}
