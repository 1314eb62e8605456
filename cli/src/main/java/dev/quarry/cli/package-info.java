/// The `quarry` command: one class for each verb.
@NullMarked
package dev.quarry.cli;

import org.jspecify.annotations.NullMarked;
