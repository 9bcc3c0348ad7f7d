/**
 * Dependencies between jobs: linking a job to its dependencies, and updating dependents when a job ends. Not for users.
 *
 * <p>This package calls the data model, which does not call this package. {@code ReleaseOutbox.prepare} gives each
 * transaction a {@link dev.couchjobs.internal.feature.ReleaseRecorder}, which writes a release notice when a job with
 * dependents ends. {@code DependencyPropagator} delivers the notices at the end of the verb.
 * The part of a job's row that names its waiter groups, {@link dev.couchjobs.internal.job.DependencyState}, stays with
 * the row.
 */
@NullMarked
package dev.couchjobs.internal.dependencies;

import org.jspecify.annotations.NullMarked;
