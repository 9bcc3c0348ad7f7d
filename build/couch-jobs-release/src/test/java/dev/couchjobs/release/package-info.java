/** Checks of what a release publishes. */
@NullMarked
package dev.couchjobs.release;

import org.jspecify.annotations.NullMarked;
