/** Moves all rows of an instance from one database to another. */
@NullMarked
package dev.couchjobs.internal.move;

import org.jspecify.annotations.NullMarked;
