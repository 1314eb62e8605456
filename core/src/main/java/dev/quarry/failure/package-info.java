/// Why memory or work was refused, and what a failure spreads to.
@NullMarked
package dev.quarry.failure;

import org.jspecify.annotations.NullMarked;
