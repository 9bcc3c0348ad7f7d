package dev.couchjobs.spring;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the worker once all beans are made. When the application stops, the worker claims no more jobs and waits for
 * those that run: after the web server, whose requests may add jobs, and before the beans that its handlers use.
 */
public final class WorkerLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLifecycle.class);
    /** The web server stops in the phases up to 2,048 below the default one, and higher phases stop first. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4_096;

    private final CouchJobs jobs;
    private final CouchJobsProperties.Worker settings;
    private final JobBeans beans;

    private volatile @Nullable Worker worker;

    WorkerLifecycle(CouchJobs jobs, CouchJobsProperties.Worker settings, JobBeans beans) {
        this.jobs = jobs;
        this.settings = settings;
        this.beans = beans;
    }

    /** {@return the worker, while it runs} */
    public Optional<Worker> worker() {
        return Optional.ofNullable(worker);
    }

    @Override
    public void start() {
        if (isRunning()) {
            return;
        }
        if (!beans.hasHandlers()) {
            LOG.info("No bean handles jobs: this application only adds them.");
            return;
        }
        WorkerBuilder builder = jobs.worker().shutdownTimeout(settings.shutdownTimeout());
        String name = settings.name();
        if (name != null) {
            CouchJobsProperties.named("couch-jobs.worker.name", () -> builder.name(name));
        }
        if (settings.concurrency() != null) {
            builder.concurrency(settings.concurrency());
        }
        worker = beans.addTo(builder).start();
    }

    @Override
    public void stop() {
        Worker running = worker;
        if (running != null) {
            running.close();
        }
        worker = null;
    }

    @Override
    public void stop(Runnable callback) {
        Worker running = worker;
        if (running == null) {
            callback.run();
            return;
        }
        var unused = running.closeAsync().whenComplete((done, error) -> {
            worker = null;
            callback.run();
        });
    }

    /**
     * Ends the claims of jobs that still run after Spring's timeout, so that they are pending again. Blocks. Spring
     * calls it before it closes the database.
     */
    void release() {
        Worker running = worker;
        if (running != null) {
            jobs.close();
            running.ended().join();
        }
    }

    @Override
    public boolean isRunning() {
        return worker != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
