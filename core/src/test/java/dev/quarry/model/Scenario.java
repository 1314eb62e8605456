package dev.quarry.model;

import dev.quarry.AllocationMode;
import dev.quarry.PersistentMemory;
import dev.quarry.layout.DeviceProperties;
import dev.quarry.layout.Layout;
import java.util.List;
import java.util.Optional;

/// What a random sequence runs on.
///
/// @param layouts the first is opened with; the others are there to be installed
/// @param capacity the bytes the storage holds at most
/// @param onBytes whether there are real bytes, which are then written and checked
/// @param lookEvery how many steps pass between two looks at reports; looking makes a memory notice
///   what was freed, so looking rarely lets closes pile up
record Scenario(
    DeviceProperties properties,
    List<Layout> layouts,
    long capacity,
    boolean onBytes,
    PersistentMemory setting,
    Optional<AllocationMode> mode,
    int lookEvery) {}
