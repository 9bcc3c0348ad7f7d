package dev.couchjobs.spring;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the worker once all beans are made. When the application stops, the worker claims no more jobs and waits for
 * those that run: after the web server, whose requests may add jobs, and before the beans that its handlers use. An
 * application that starts again meanwhile gets another worker, beside the one that waits.
 */
public final class WorkerLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLifecycle.class);
    /** The web server stops in the phases up to 2,048 below the default one, and higher phases stop first. */
    private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4_096;

    private final CouchJobs jobs;
    private final CouchJobsProperties.Worker settings;
    private final JobBeans beans;

    private final AtomicReference<@Nullable Worker> worker = new AtomicReference<>();
    /** Workers that were stopped and still wait for their jobs. */
    private final Set<Worker> ending = ConcurrentHashMap.newKeySet();

    WorkerLifecycle(CouchJobs jobs, CouchJobsProperties.Worker settings, JobBeans beans) {
        this.jobs = jobs;
        this.settings = settings;
        this.beans = beans;
    }

    /** {@return the worker, while it runs} */
    public Optional<Worker> worker() {
        return Optional.ofNullable(worker.get());
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
        worker.set(beans.addTo(builder).start());
    }

    @Override
    public void stop() {
        Worker running = worker.get();
        var unused = end();
        if (running != null) {
            running.close(); // which does not wait for a handler that calls this
        }
    }

    @Override
    public void stop(Runnable callback) {
        var unused = end().whenComplete((done, error) -> callback.run());
    }

    /** {@return when the worker that runs has ended} Another may start before. */
    private CompletableFuture<?> end() {
        Worker running = worker.getAndSet(null);
        if (running == null) {
            return CompletableFuture.completedFuture(null);
        }
        ending.add(running);
        return running.closeAsync().whenComplete((done, error) -> ending.remove(running));
    }

    /**
     * Ends the claims of jobs that still run after Spring's timeout, so that they are pending again. Blocks. Spring
     * calls it before it closes the database.
     */
    void release() {
        List<Worker> open = new ArrayList<>(ending);
        worker().ifPresent(open::add);
        if (!open.isEmpty()) {
            jobs.close();
            open.forEach(each -> each.ended().join());
        }
    }

    @Override
    public boolean isRunning() {
        return worker.get() != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
