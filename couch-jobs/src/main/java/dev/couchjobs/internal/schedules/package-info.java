/** Recurring jobs: the times that a schedule names, its row, and the transactions that move it on. */
@NullMarked
package dev.couchjobs.internal.schedules;

import org.jspecify.annotations.NullMarked;
