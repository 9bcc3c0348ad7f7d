package dev.couchjobs.spring;

import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.annotations.JobBinding;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;

/** What the beans of an application add to its jobs, and to the worker that runs them. */
public final class JobBeans {
    private static final Logger LOG = LoggerFactory.getLogger(JobBeans.class);

    private final CouchJobsProperties properties;
    private final BeanFactory beans;
    private final List<JobBinding> bindings;

    JobBeans(CouchJobsProperties properties, BeanFactory beans) {
        this.properties = properties;
        this.beans = beans;
        this.bindings = ServiceLoader.load(JobBinding.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /**
     * Adds the subspace, listeners, middleware, and what customizers do.
     *
     * @param jobs the builder
     * @return the same builder
     */
    public CouchJobsBuilder addTo(CouchJobsBuilder jobs) {
        properties.rows().ifPresent(jobs::subspace);
        beans.getBeanProvider(JobsListener.class).orderedStream().forEach(jobs::listener);
        beans.getBeanProvider(JobMiddleware.class).orderedStream().forEach(jobs::middleware);
        beans.getBeanProvider(CouchJobsCustomizer.class).orderedStream().forEach(bean -> bean.customize(jobs));
        return jobs;
    }

    /** {@return whether there is a bean with job methods, or a {@link WorkerCustomizer}} */
    public boolean hasHandlers() {
        return bindings.stream().anyMatch(binding -> handlers(binding).isPresent())
                || beans.getBeanProvider(WorkerCustomizer.class).stream()
                        .findAny()
                        .isPresent();
    }

    /**
     * Adds the job methods of beans, and what customizers do. A class with job methods but without a bean is left out,
     * and logged: it may belong to another application.
     *
     * @param worker the builder
     * @return the same builder
     */
    public WorkerBuilder addTo(WorkerBuilder worker) {
        bindings.forEach(binding -> handlers(binding)
                .ifPresentOrElse(bean -> binding.bind(worker, bean), () -> logThatNothingRuns(binding)));
        beans.getBeanProvider(WorkerCustomizer.class).orderedStream().forEach(bean -> bean.customize(worker));
        return worker;
    }

    private static void logThatNothingRuns(JobBinding binding) {
        LOG.info(
                "There is no bean of {}: this worker runs no jobs of {}.",
                binding.handlers().getName(),
                binding.types().stream().map(JobType::name).collect(Collectors.joining(", ")));
    }

    private Optional<Object> handlers(JobBinding binding) {
        return Optional.ofNullable(beans.getBeanProvider(binding.handlers()).getIfAvailable());
    }
}
