/** Several futures as one. Not for users. */
@NullMarked
package dev.couchjobs.internal.futures;

import org.jspecify.annotations.NullMarked;
