/// Sizes in bytes and the alignment rule that rounds them.
@NullMarked
package dev.quarry.size;

import org.jspecify.annotations.NullMarked;
