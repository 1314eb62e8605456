/// What a memory says of itself: usage and reports as values, and events as they happen.
@NullMarked
package dev.quarry.report;

import org.jspecify.annotations.NullMarked;
