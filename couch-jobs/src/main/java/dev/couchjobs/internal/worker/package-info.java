/** The worker: claims jobs in batches, runs their handlers, tells that they are alive, and ends them. Not for users. */
@NullMarked
package dev.couchjobs.internal.worker;

import org.jspecify.annotations.NullMarked;
