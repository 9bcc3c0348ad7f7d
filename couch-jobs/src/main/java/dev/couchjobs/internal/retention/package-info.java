/** Retention: expired jobs are removed, some of them after they were archived. Not for users. */
@NullMarked
package dev.couchjobs.internal.retention;

import org.jspecify.annotations.NullMarked;
