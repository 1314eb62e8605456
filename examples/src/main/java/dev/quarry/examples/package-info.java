/// Small programs that show one use of Quarry each.
@NullMarked
package dev.quarry.examples;

import org.jspecify.annotations.NullMarked;
