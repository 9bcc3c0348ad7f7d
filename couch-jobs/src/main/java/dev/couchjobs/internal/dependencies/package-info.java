/** Jobs that wait for others: which waits for which, and what becomes of them when those end. Not for users. */
@NullMarked
package dev.couchjobs.internal.dependencies;

import org.jspecify.annotations.NullMarked;
