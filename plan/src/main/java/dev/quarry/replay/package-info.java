/// Runs recorded work through the real pools, without any memory behind them.
@NullMarked
package dev.quarry.replay;

import org.jspecify.annotations.NullMarked;
