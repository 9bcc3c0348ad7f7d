package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.Databases;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** The database, the jobs in it, and the worker that runs the handlers among the beans. */
@AutoConfiguration
@EnableConfigurationProperties(CouchJobsProperties.class)
@ImportRuntimeHints(JobHints.class)
public class CouchJobsAutoConfiguration {
    /** The name of the bean that runs the handlers; there is no {@link WorkerLifecycle} beside another of that name. */
    public static final String WORKER = "couchJobsWorker";

    /** Made by Spring. */
    public CouchJobsAutoConfiguration() {}

    /**
     * {@return the database of the property {@code couch-jobs.database}}
     *
     * @param properties the properties
     */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    public Database couchJobsDatabase(CouchJobsProperties properties) {
        return Databases.open(properties.location());
    }

    /**
     * {@return what the beans add to the jobs and to the worker}
     *
     * @param properties the properties
     * @param beans the beans
     */
    @Bean
    @ConditionalOnMissingBean
    public JobBeans couchJobsBeans(CouchJobsProperties properties, BeanFactory beans) {
        return new JobBeans(properties, beans);
    }

    /**
     * {@return the jobs}
     *
     * @param database where they are
     * @param beans what beans add
     */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    public CouchJobs couchJobs(Database database, JobBeans beans) {
        return beans.addTo(CouchJobs.builder(database)).build();
    }

    /**
     * {@return the life of the worker}
     *
     * @param jobs the jobs
     * @param properties the properties
     * @param beans what beans add
     */
    @Bean(name = WORKER, destroyMethod = "release")
    @ConditionalOnMissingBean(value = WorkerLifecycle.class, name = WORKER)
    @ConditionalOnProperty(name = "couch-jobs.worker.enabled", matchIfMissing = true)
    public WorkerLifecycle couchJobsWorker(CouchJobs jobs, CouchJobsProperties properties, JobBeans beans) {
        return new WorkerLifecycle(jobs, properties.worker(), beans);
    }
}
