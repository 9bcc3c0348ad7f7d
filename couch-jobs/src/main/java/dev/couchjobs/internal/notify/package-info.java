/** Delivers the changes of jobs to subscriptions: each process has one notifier per type. Not for users. */
@NullMarked
package dev.couchjobs.internal.notify;

import org.jspecify.annotations.NullMarked;
