/// Files that are written whole or not at all. Not exported.
@NullMarked
package dev.quarry.file;

import org.jspecify.annotations.NullMarked;
