package dev.couchjobs.spring.test;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.spring.CouchJobsAutoConfiguration;
import dev.couchjobs.spring.JobBeans;
import dev.couchjobs.testing.JobsTestKit;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The kit, and its parts as beans. The kit closes them. */
@AutoConfiguration(before = CouchJobsAutoConfiguration.class)
class TestKitConfiguration {

    @Bean(destroyMethod = "close")
    JobsTestKit couchJobsTestKit(JobBeans beans) {
        return JobsTestKit.with(beans::addTo);
    }

    @Bean(destroyMethod = "")
    Database couchJobsDatabase(JobsTestKit kit) {
        return kit.database();
    }

    @Bean(destroyMethod = "")
    CouchJobs couchJobs(JobsTestKit kit) {
        return kit.jobs();
    }

    /** Once all beans are made, as handlers may need the jobs. */
    @Bean(CouchJobsAutoConfiguration.WORKER)
    @ConditionalOnProperty(name = "couch-jobs.worker.enabled", matchIfMissing = true)
    SmartInitializingSingleton couchJobsWorker(JobsTestKit kit, JobBeans beans) {
        return () -> {
            if (beans.hasHandlers()) {
                kit.work(beans::addTo);
            }
        };
    }
}
