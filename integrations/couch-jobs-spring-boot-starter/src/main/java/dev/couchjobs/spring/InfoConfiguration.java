package dev.couchjobs.spring;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Worker;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The entry {@code couchJobs} of the info endpoint: where the jobs are, and which worker of theirs this is. */
@AutoConfiguration(after = CouchJobsAutoConfiguration.class)
@ConditionalOnClass(InfoContributor.class)
@ConditionalOnBean(CouchJobs.class)
class InfoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "couchJobsInfoContributor")
    InfoContributor couchJobsInfoContributor(CouchJobsProperties properties, ObjectProvider<WorkerLifecycle> workers) {
        return info -> {
            Map<String, Object> jobs = new TreeMap<>();
            jobs.put("database", properties.location().getClass().getSimpleName());
            workers.stream().flatMap(worker -> worker.worker().stream()).forEach(worker -> describe(worker, jobs));
            info.withDetail("couchJobs", jobs);
        };
    }

    private static void describe(Worker worker, Map<String, Object> jobs) {
        jobs.put("worker", worker.name());
        jobs.put("concurrency", worker.concurrency());
    }
}
