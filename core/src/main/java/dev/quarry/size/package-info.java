/// Sizes in bytes and their alignment: the numbers every other package speaks in.
@NullMarked
package dev.quarry.size;

import org.jspecify.annotations.NullMarked;
