/**
 * Compares couch-jobs with queues on PostgreSQL: a minimal one, db-scheduler and JobRunr.
 * {@link dev.couchjobs.bench.jobs.JobBenchmarks} is the program to run. {@link dev.couchjobs.bench.jobs.CostBenchmarks}
 * measures what a job costs.
 */
@NullMarked
package dev.couchjobs.bench.jobs;

import org.jspecify.annotations.NullMarked;
