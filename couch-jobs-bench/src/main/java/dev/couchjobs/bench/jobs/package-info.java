/**
 * Compares couch-jobs with queues on PostgreSQL: a minimal one, db-scheduler and JobRunr.
 * {@link dev.couchjobs.bench.jobs.JobBenchmarks} is the program to run.
 */
@NullMarked
package dev.couchjobs.bench.jobs;

import org.jspecify.annotations.NullMarked;
