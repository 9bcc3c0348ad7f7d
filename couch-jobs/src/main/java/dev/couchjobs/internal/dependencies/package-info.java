/**
 * Dependencies between jobs: linking a job to its dependencies, and updating dependents when a job ends. Not for users.
 *
 * <p>This package calls the data model, which does not call it. {@code ReleaseOutbox.open} puts a
 * {@link dev.couchjobs.internal.data.ReleaseRecorder} into each transaction, which records what a written row means to
 * the jobs that wait for it. {@code DependencyPropagator.settle} carries that out at the end of the verb. The part of a
 * job's row that names its waiters, {@link dev.couchjobs.internal.data.DependencyState}, stays with the row.
 */
@NullMarked
package dev.couchjobs.internal.dependencies;

import org.jspecify.annotations.NullMarked;
