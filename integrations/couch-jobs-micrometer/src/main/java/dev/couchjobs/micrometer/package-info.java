/** Metrics of couch-jobs in Micrometer; start with {@link dev.couchjobs.micrometer.JobMetrics}. */
@NullMarked
package dev.couchjobs.micrometer;

import org.jspecify.annotations.NullMarked;
