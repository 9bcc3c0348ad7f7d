/** Runs verbs in transactions: retries, time limits, labels, and what a transaction is refused. Not for users. */
@NullMarked
package dev.couchjobs.internal.transactions;

import org.jspecify.annotations.NullMarked;
