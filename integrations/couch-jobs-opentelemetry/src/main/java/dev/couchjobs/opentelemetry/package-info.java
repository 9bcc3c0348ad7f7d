/** Traces of couch-jobs in OpenTelemetry; start with {@link dev.couchjobs.opentelemetry.JobTracing}. */
@NullMarked
package dev.couchjobs.opentelemetry;

import org.jspecify.annotations.NullMarked;
