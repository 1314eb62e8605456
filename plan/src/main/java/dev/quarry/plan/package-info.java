/// Choosing the layout that fits a measured workload, with the evidence attached.
@NullMarked
package dev.quarry.plan;

import org.jspecify.annotations.NullMarked;
