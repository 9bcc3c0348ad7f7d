/** Unique keys: which job has one. Not for users. */
@NullMarked
package dev.couchjobs.internal.unique;

import org.jspecify.annotations.NullMarked;
