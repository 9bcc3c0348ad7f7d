/** The admission of jobs with limit keys, and how many jobs of a type its rules allow to be claimed. */
@NullMarked
package dev.couchjobs.internal.limits;

import org.jspecify.annotations.NullMarked;
