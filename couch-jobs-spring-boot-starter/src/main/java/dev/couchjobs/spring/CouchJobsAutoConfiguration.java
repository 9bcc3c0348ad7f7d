package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobsListener;
import dev.couchjobs.annotations.JobBinding;
import dev.couchjobs.fdb.Databases;
import java.util.List;
import java.util.ServiceLoader;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
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
     * {@return the jobs}
     *
     * @param database where they are
     * @param properties the properties
     * @param listeners beans that are told what happens
     * @param middleware beans around each handler
     * @param customizers beans that change the settings
     */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    public CouchJobs couchJobs(
            Database database,
            CouchJobsProperties properties,
            ObjectProvider<JobsListener> listeners,
            ObjectProvider<JobMiddleware> middleware,
            ObjectProvider<CouchJobsCustomizer> customizers) {
        CouchJobsBuilder builder = CouchJobs.builder(database);
        properties.rows().ifPresent(builder::subspace);
        listeners.orderedStream().forEach(builder::listener);
        middleware.orderedStream().forEach(builder::middleware);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }

    /**
     * {@return the life of the worker}
     *
     * @param jobs the jobs
     * @param properties the properties
     * @param beans where the handlers are found
     * @param customizers beans that add to the worker
     */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "couch-jobs.worker.enabled", matchIfMissing = true)
    public WorkerLifecycle couchJobsWorker(
            CouchJobs jobs,
            CouchJobsProperties properties,
            BeanFactory beans,
            ObjectProvider<WorkerCustomizer> customizers) {
        List<JobBinding> bindings = ServiceLoader.load(JobBinding.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        return new WorkerLifecycle(
                jobs,
                properties.worker(),
                new HandlerBeans(bindings, beans),
                customizers.orderedStream().toList());
    }
}
