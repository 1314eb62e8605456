/// How fast the pools are, measured beside their alternatives.
@NullMarked
package dev.quarry.bench;

import org.jspecify.annotations.NullMarked;
