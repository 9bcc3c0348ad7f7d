/**
 * The unit of work of a bridge: one transaction over the store, its documents, and the jobs that it adds. The
 * interfaces {@code StepAssignment} and {@code StepSlots} separate it from the assignment of steps.
 */
@NullMarked
package dev.couchjobs.bridge.internal.transaction;

import org.jspecify.annotations.NullMarked;
