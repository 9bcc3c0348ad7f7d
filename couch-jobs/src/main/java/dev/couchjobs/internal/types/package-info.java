/** The types of jobs that there are, that are in use, and their activity timeouts. Not for users. */
@NullMarked
package dev.couchjobs.internal.types;

import org.jspecify.annotations.NullMarked;
