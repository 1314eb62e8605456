/// Host memory by the operating system's own means: address space that is reserved once and
/// committed page by page, and files mapped into memory.
@NullMarked
package dev.quarry.host;

import org.jspecify.annotations.NullMarked;
