/// Memory pools for one device, and the handles that keep their slices alive.
@NullMarked
package dev.quarry;

import org.jspecify.annotations.NullMarked;
