package dev.couchjobs.internal.monitor;

import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.retention.Retirement;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** What one instance has in the background for all types that it has to do with. */
public final class ActivityMonitors implements AutoCloseable {
    private final Instance instance;
    private final Retirement retirement;
    private final long token;
    private final Policies policies = new Policies();
    private final Workers<String, ActivityMonitor> monitors = new Workers<>(ActivityMonitor::close);
    private final MonitorLeases leases;
    private final FeedTrimmer trimmer;
    private final UseCheck useCheck;
    private final Releaser releaser;
    private final AtomicBoolean hasStarted = new AtomicBoolean();

    public ActivityMonitors(Instance instance, Duration feedRetention, Retirement retirement) {
        this.instance = instance;
        this.token = instance.environment().random().nextLong();
        this.retirement = retirement;
        this.leases = new MonitorLeases(instance, monitors);
        this.trimmer = new FeedTrimmer(instance, monitors, feedRetention);
        this.useCheck = new UseCheck(instance, monitors);
        this.releaser = new Releaser(instance);
    }

    /**
     * Starts the monitor of a type and the removal of its jobs whose time is up, unless they run already, and with the
     * first type what is for all types.
     */
    public void watchOver(JobType<?, ?> type) {
        policies.given(type);
        boolean isNew = monitors.ifPresent(type.name()).isEmpty();
        monitors.get(type.name(), this::monitor);
        if (isNew) {
            leases.look();
        }
        if (hasStarted.compareAndSet(false, true)) {
            trimmer.start();
            useCheck.start();
            releaser.start();
        }
        retirement.sweep(type);
    }

    /** {@return whether a type is in use, as far as this process knows} */
    public boolean isInUse(String typeName) {
        return leases.isInUse(typeName);
    }

    /**
     * Has a listener told each time when this process has found out which types are in use.
     *
     * @param listener tells whether it has to be told again soon, although none may come into use
     */
    public void afterEachLook(BooleanSupplier listener) {
        leases.afterEachLook(listener);
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

    private ActivityMonitor monitor(String typeName) {
        return new ActivityMonitor(instance, typeName, token, () -> policies.of(typeName));
    }

    @Override
    public void close() {
        leases.close();
        trimmer.close();
        useCheck.close();
        monitors.close();
        releaser.close();
    }
}
