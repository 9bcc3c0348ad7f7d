/** Runs verbs in transactions, with retries, timeouts, labels and checks. Not for users. */
@NullMarked
package dev.couchjobs.internal.transactions;

import org.jspecify.annotations.NullMarked;
