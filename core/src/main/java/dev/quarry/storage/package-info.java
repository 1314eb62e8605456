/// Where memory comes from: the [Storage][dev.quarry.storage.Storage] that a device backend
/// implements, and two that need no device.
@NullMarked
package dev.quarry.storage;

import org.jspecify.annotations.NullMarked;
