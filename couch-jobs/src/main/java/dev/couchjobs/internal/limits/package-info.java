/** The admission of jobs with limit keys: which jobs get slots when slots become free. */
@NullMarked
package dev.couchjobs.internal.limits;

import org.jspecify.annotations.NullMarked;
