/// Device memory for programs on the JVM, sized by measurement.
///
/// ```
/// Layout ─resolve▶ ResolvedLayout ─install▶ pools ─reserve▶ Handle ─binding▶ Binding ─locate▶ Region ▶ the device's own type
///    ▲                                        │
///    └──────────────── MemoryReport ◀──report─┘
/// ```
///
/// [DeviceMemory][dev.quarry.DeviceMemory] is where a program begins. It lays out pools, runs its
/// work once in a [DryRun][dev.quarry.DryRun], which touches no device, reads the
/// [report][dev.quarry.report.MemoryReport], installs the [layout][dev.quarry.layout.Layout] capped
/// at what was measured, and runs the work.
@NullMarked
package dev.quarry;

import org.jspecify.annotations.NullMarked;
