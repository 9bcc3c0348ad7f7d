/** Claims: who holds one, how one ends, and what its job becomes then. Not for users. */
@NullMarked
package dev.couchjobs.internal.claims;

import org.jspecify.annotations.NullMarked;
