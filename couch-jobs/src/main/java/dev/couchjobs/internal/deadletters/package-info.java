/** The jobs that have failed for good. Not for users. */
@NullMarked
package dev.couchjobs.internal.deadletters;

import org.jspecify.annotations.NullMarked;
