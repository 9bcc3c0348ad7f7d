/** The rows of running jobs, by their last heartbeats. Not for users. */
@NullMarked
package dev.couchjobs.internal.activity;

import org.jspecify.annotations.NullMarked;
