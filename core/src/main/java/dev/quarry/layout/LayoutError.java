package dev.quarry.layout;

/// Why a layout does not resolve. Field names in messages are those of the reference, so that both
/// read alike.
public sealed interface LayoutError {
  /// The most pools a layout may list.
  int MAX_POOLS = 254;

  /// The most pages a capped pool may hold.
  int MAX_PAGES = 65_535;

  /// One sentence with the rule and the values.
  String message();

  /// The list of pools is empty.
  record EmptyPoolList() implements LayoutError {
    @Override
    public String message() {
      return "the list of pools is empty: a layout needs at least one pool";
    }
  }

  /// A size that must not be zero is zero.
  ///
  /// @param field the field's name
  record ZeroSize(String field) implements LayoutError {
    @Override
    public String message() {
      return field + " is zero: a sliced pool needs a positive size";
    }
  }

  /// A slice would be larger than the page that must hold it.
  ///
  /// @param pageSize aligned, in bytes
  /// @param maxSliceSize aligned, in bytes
  record SliceLargerThanPage(long pageSize, long maxSliceSize) implements LayoutError {
    @Override
    public String message() {
      return "max_slice_size ("
          + maxSliceSize
          + ") exceeds page_size ("
          + pageSize
          + "): a slice never spans pages";
    }
  }

  /// The cap has no room for a single page.
  ///
  /// @param pageSize aligned, in bytes
  /// @param maxPoolSize as asked for, in bytes
  record CapSmallerThanPage(long pageSize, long maxPoolSize) implements LayoutError {
    @Override
    public String message() {
      return "max_pool_size ("
          + maxPoolSize
          + ") is below page_size ("
          + pageSize
          + "): the pool could never hold a page";
    }
  }

  /// The cap allows more pages than a pool may hold.
  ///
  /// @param pages the pages the cap allows
  record TooManyPages(long pages) implements LayoutError {
    @Override
    public String message() {
      return "max_pool_size allows " + pages + " pages: a capped pool holds at most " + MAX_PAGES;
    }
  }

  /// The list of pools is too long.
  ///
  /// @param count its length
  record TooManyPools(int count) implements LayoutError {
    @Override
    public String message() {
      return "the layout lists " + count + " pools: at most " + MAX_POOLS + " are possible";
    }
  }

  /// A preset that needs sliced pools was asked for where they are off.
  ///
  /// @param preset the preset's name
  record PresetUnavailable(String preset) implements LayoutError {
    @Override
    public String message() {
      return "the preset "
          + preset
          + " is unavailable: it slices pages, and the device is exclusive-only";
    }
  }

  /// A sliced pool was asked for where sliced pools are off.
  record SlicedPoolsUnavailable() implements LayoutError {
    @Override
    public String message() {
      return "sliced pools are unavailable: the device is exclusive-only";
    }
  }
}
