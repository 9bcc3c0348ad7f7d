/**
 * The unit of work of a bridge: one transaction over the store, the documents in it, and the jobs that it adds. It
 * knows how steps are assigned only by the interface {@code StepAssignment}.
 */
@NullMarked
package dev.couchjobs.bridge.internal.transaction;

import org.jspecify.annotations.NullMarked;
