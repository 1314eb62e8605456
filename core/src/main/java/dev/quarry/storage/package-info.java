/// Where bytes come from: the interface a device implements and the storages in host memory.
@NullMarked
package dev.quarry.storage;

import org.jspecify.annotations.NullMarked;
