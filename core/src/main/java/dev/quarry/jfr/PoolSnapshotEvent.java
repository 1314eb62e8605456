package dev.quarry.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// A pool with its marks.
@Name("dev.quarry.PoolSnapshot")
@Label("Pool Snapshot")
@Description("A pool with its marks, periodically")
@Category("Quarry")
@Enabled(false)
@Registered(true)
@Period("1 s")
@StackTrace(false)
final class PoolSnapshotEvent extends MemoryFlightEvent {
  @Label("Pool")
  int pool;

  @Label("Kind")
  @Nullable String kind;

  @Label("Allocations")
  long allocations;

  @Label("In Use")
  @DataAmount
  long inUse;

  @Label("Padding")
  @DataAmount
  long padding;

  @Label("Reserved")
  @DataAmount
  long reserved;

  @Label("Pages")
  int pages;

  @Label("Pages Peak")
  int pagesPeak;

  @Label("Pages Unmapped")
  int pagesUnmapped;

  @Label("Largest Allocation")
  @DataAmount
  long largestAlloc;

  @Label("Largest Free Extent")
  @DataAmount
  long largestFree;

  PoolSnapshotEvent() {}
}
