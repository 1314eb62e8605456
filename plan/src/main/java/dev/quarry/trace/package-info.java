/// What a program allocated and freed, in order, read from and written to files.
@NullMarked
package dev.quarry.trace;

import org.jspecify.annotations.NullMarked;
