/** How many jobs one after the other led to a job. Not for users. */
@NullMarked
package dev.couchjobs.internal.descent;

import org.jspecify.annotations.NullMarked;
