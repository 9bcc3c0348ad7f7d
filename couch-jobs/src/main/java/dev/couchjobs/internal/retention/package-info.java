/**
 * Retention: jobs that have ended are removed when their time is up, some of them by way of an archive. Not for users.
 */
@NullMarked
package dev.couchjobs.internal.retention;

import org.jspecify.annotations.NullMarked;
