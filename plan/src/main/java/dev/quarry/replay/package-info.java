/// Running a trace again through the real pools, without its memory.
@NullMarked
package dev.quarry.replay;

import org.jspecify.annotations.NullMarked;
