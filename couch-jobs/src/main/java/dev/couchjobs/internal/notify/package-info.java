/** Subscriptions: what happens to the jobs that a process follows, type by type. Not for users. */
@NullMarked
package dev.couchjobs.internal.notify;

import org.jspecify.annotations.NullMarked;
