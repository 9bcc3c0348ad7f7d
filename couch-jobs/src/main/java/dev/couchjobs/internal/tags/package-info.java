/** The jobs with a tag. Not for users. */
@NullMarked
package dev.couchjobs.internal.tags;

import org.jspecify.annotations.NullMarked;
