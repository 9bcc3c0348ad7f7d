/** The rows of workers, and orders for them. Not for users. */
@NullMarked
package dev.couchjobs.internal.workers;

import org.jspecify.annotations.NullMarked;
