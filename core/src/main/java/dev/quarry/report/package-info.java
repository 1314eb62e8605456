/// What pools hold now and held at most, for people and for listeners.
@NullMarked
package dev.quarry.report;

import org.jspecify.annotations.NullMarked;
