/** Rows as the public interfaces show them: payloads, times, jobs and log entries. Not for users. */
@NullMarked
package dev.couchjobs.internal.views;

import org.jspecify.annotations.NullMarked;
