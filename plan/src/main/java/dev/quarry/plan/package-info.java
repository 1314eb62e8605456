/// From a trace to a layout, and the proof that it fits: so far the figures of a trace and the
/// bound no layout beats.
@NullMarked
package dev.quarry.plan;

import org.jspecify.annotations.NullMarked;
