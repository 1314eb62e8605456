/// The four pools and what they share. Plain single-owner structures, except for the count of
/// owners on a slice and the stack by which slices come back, which any thread may touch.
///
/// A *page* is one device allocation. A *slice* is one allocation in a page. A slice is *live*
/// while it has owners: handles and bindings. A page is *mapped* once the storage has given memory
/// for it.
@NullMarked
package dev.quarry.pool;

import org.jspecify.annotations.NullMarked;
