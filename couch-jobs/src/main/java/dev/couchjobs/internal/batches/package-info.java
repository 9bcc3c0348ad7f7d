/** Batches: what the changes of their members mean for them. Not for users. */
@NullMarked
package dev.couchjobs.internal.batches;

import org.jspecify.annotations.NullMarked;
