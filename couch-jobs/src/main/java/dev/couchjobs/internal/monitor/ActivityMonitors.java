package dev.couchjobs.internal.monitor;

import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.retention.Retirement;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** The activity monitors of one instance, one for every type that it has to do with, and its releaser. */
public final class ActivityMonitors implements AutoCloseable {
    private final Instance instance;
    private final Duration feedRetention;
    private final Retirement retirement;
    private final Policies policies = new Policies();
    private final Workers<String, ActivityMonitor> monitors = new Workers<>(ActivityMonitor::close);
    private final Releaser releaser;
    private final AtomicBoolean hasStarted = new AtomicBoolean();

    public ActivityMonitors(Instance instance, Duration feedRetention, Retirement retirement) {
        this.instance = instance;
        this.feedRetention = feedRetention;
        this.retirement = retirement;
        this.releaser = new Releaser(instance);
    }

    /**
     * Starts the monitor of a type and the removal of its jobs whose time is up, unless they run already, and with the
     * first type the releaser.
     */
    public void watchOver(JobType<?, ?> type) {
        policies.given(type);
        monitors.get(type.name(), unused -> started(type));
        if (hasStarted.compareAndSet(false, true)) {
            releaser.start();
        }
        retirement.sweep(type);
    }

    /**
     * A worker runs jobs of a type: its retry policy and its retention decide from now on.
     *
     * @throws IllegalArgumentException if those of another worker are different
     */
    public void workerBegins(JobType<?, ?> type) {
        policies.begin(type);
    }

    /** A worker runs jobs of a type no more. */
    public void workerEnds(JobType<?, ?> type) {
        policies.end(type);
    }

    private ActivityMonitor started(JobType<?, ?> type) {
        ActivityMonitor monitor =
                new ActivityMonitor(instance, type.name(), () -> policies.of(type.name()), feedRetention);
        monitor.start();
        return monitor;
    }

    @Override
    public void close() {
        monitors.close();
        releaser.close();
    }
}
