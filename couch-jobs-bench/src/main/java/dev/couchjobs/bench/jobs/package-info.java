/**
 * Measures the jobs on the embedded engine beside db-scheduler and JobRunr on PostgreSQL.
 * {@link dev.couchjobs.bench.jobs.JobBenchmarks} is the program to run.
 */
@NullMarked
package dev.couchjobs.bench.jobs;

import org.jspecify.annotations.NullMarked;
