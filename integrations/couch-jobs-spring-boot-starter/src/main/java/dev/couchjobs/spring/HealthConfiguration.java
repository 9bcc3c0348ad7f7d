package dev.couchjobs.spring;

import dev.couchjobs.CouchJobs;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The contributor {@code couchJobs} of the health endpoint. */
@AutoConfiguration(after = CouchJobsAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(CouchJobs.class)
@ConditionalOnEnabledHealthIndicator("couch-jobs")
class HealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "couchJobsHealthIndicator")
    HealthIndicator couchJobsHealthIndicator(CouchJobs jobs, CouchJobsProperties properties) {
        return new JobsHealthIndicator(
                jobs.health().dueAtMost(properties.health().dueAtMost()));
    }
}
