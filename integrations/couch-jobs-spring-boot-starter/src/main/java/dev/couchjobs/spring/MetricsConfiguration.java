package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.micrometer.JobGauges;
import dev.couchjobs.micrometer.JobMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Meters of jobs, in the registry of the application. */
@AutoConfiguration(
        before = CouchJobsAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, JobMetrics.class})
@ConditionalOnBean(MeterRegistry.class)
class MetricsConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JobMetrics couchJobsMetrics(MeterRegistry registry) {
        return JobMetrics.on(registry);
    }

    /** Not lazy: no other bean needs the gauges. */
    @Bean(destroyMethod = "close")
    @Lazy(false)
    @ConditionalOnMissingBean
    JobGauges couchJobsGauges(MeterRegistry registry, Database database, CouchJobs jobs) {
        return JobGauges.on(registry, database, jobs);
    }
}
