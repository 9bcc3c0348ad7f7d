/** Subscriptions: one reader of the change feed per process and type. Not for users. */
@NullMarked
package dev.couchjobs.internal.notify;

import org.jspecify.annotations.NullMarked;
