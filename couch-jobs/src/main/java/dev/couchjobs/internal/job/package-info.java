/** The row of a job, and where a job stands. It knows no feature. */
@NullMarked
package dev.couchjobs.internal.job;

import org.jspecify.annotations.NullMarked;
