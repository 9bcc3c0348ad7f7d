/** Reads the health of an instance. */
@NullMarked
package dev.couchjobs.internal.health;

import org.jspecify.annotations.NullMarked;
