/** The attempts and the log of a job. Not for users. */
@NullMarked
package dev.couchjobs.internal.history;

import org.jspecify.annotations.NullMarked;
