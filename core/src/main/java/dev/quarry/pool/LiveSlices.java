package dev.quarry.pool;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Keeps the live slices of a pool reachable, so that the collector can tell when the handle of one
/// is not.
final class LiveSlices {
  private @Nullable Slice[] places = new Slice[16];
  private int[] vacant = new int[16];
  private int vacantCount;
  private int end;

  void add(Slice slice) {
    if (vacantCount == 0 && end == places.length) places = Arrays.copyOf(places, end * 2);
    slice.place = vacantCount > 0 ? vacant[--vacantCount] : end++;
    places[slice.place] = slice;
  }

  void forEach(Consumer<Slice> action) {
    for (int i = 0; i < end; i++) {
      Slice slice = places[i];
      if (slice != null) action.accept(slice);
    }
  }

  void remove(Slice slice) {
    if (vacantCount == vacant.length) vacant = Arrays.copyOf(vacant, vacantCount * 2);
    vacant[vacantCount++] = slice.place;
    places[slice.place] = null;
  }
}
