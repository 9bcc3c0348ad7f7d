package dev.couchjobs.internal.monitor;

import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.retention.Retirement;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;

/** The activity monitors and the releasers of one instance, one of each for every type that it has to do with. */
public final class ActivityMonitors implements AutoCloseable {
    private final Instance instance;
    private final Duration feedRetention;
    private final Retirement retirement;
    private final Policies policies = new Policies();
    private final Workers<String, ActivityMonitor> monitors = new Workers<>(ActivityMonitor::close);
    private final Workers<String, Releaser> releasers = new Workers<>(Releaser::close);

    public ActivityMonitors(Instance instance, Duration feedRetention, Retirement retirement) {
        this.instance = instance;
        this.feedRetention = feedRetention;
        this.retirement = retirement;
    }

    /** Starts the monitor and the releaser of a type and the removal of its jobs whose time is up, unless they run already. */
    public void watchOver(JobType<?, ?> type) {
        policies.given(type);
        monitors.get(type.name(), unused -> started(type));
        releasers.get(type.name(), this::releasing);
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

    private Releaser releasing(String typeName) {
        Releaser releaser = new Releaser(instance, typeName);
        releaser.start();
        return releaser;
    }

    @Override
    public void close() {
        monitors.close();
        releasers.close();
    }
}
