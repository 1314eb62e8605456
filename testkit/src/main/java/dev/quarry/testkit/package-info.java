/// Contract suites that an implementation of a Quarry interface extends to prove itself.
@NullMarked
package dev.quarry.testkit;

import org.jspecify.annotations.NullMarked;
