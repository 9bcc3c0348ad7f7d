/** The worker: claims jobs in batches, runs their handlers, renews their leases, and ends them. Not for users. */
@NullMarked
package dev.couchjobs.internal.worker;

import org.jspecify.annotations.NullMarked;
