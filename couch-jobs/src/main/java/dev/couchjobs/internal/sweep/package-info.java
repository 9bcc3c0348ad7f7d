/** Retention: expired jobs are removed, some of them after they were archived. Not for users. */
@NullMarked
package dev.couchjobs.internal.sweep;

import org.jspecify.annotations.NullMarked;
