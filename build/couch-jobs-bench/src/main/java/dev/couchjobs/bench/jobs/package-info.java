/**
 * Compares couch-jobs with queues on PostgreSQL: a minimal one, db-scheduler and JobRunr.
 * {@link dev.couchjobs.bench.jobs.JobBenchmarks} is the program to run. {@link dev.couchjobs.bench.jobs.CostBenchmarks}
 * measures what a job costs, and {@link dev.couchjobs.bench.jobs.ProfileBenchmarks} where that comes from.
 */
@NullMarked
package dev.couchjobs.bench.jobs;

import org.jspecify.annotations.NullMarked;
