/// The pools themselves: plain structures with a single owner, not part of the API.
@NullMarked
package dev.quarry.pool;

import org.jspecify.annotations.NullMarked;
