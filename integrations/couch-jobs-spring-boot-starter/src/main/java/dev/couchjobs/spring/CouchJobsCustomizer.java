package dev.couchjobs.spring;

import dev.couchjobs.CouchJobsBuilder;

/** A bean that changes the settings of the {@link dev.couchjobs.CouchJobs} of the application before it is built. */
@FunctionalInterface
public interface CouchJobsCustomizer {
    /**
     * Changes settings.
     *
     * @param jobs the builder, with the settings of the properties
     */
    void customize(CouchJobsBuilder jobs);
}
