package dev.couchjobs.internal.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.retention.RetentionService;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** The background services that one instance runs for all its types. */
public final class ActivityMonitors implements AutoCloseable {
    private final Instance instance;
    private final RetentionService retentionService;
    private final long token;
    private final JobTypeRegistry types = new JobTypeRegistry();
    private final ServiceRegistry<String, ActivityMonitor> monitors = new ServiceRegistry<>(ActivityMonitor::close);
    private final MonitorLeases leases;
    private final FeedTrimmer trimmer;
    private final TypeUseCheck useCheck;
    private final DependentReleaser releaser;
    /** The types that stay monitored without a worker in this process. */
    @GuardedBy("this") private final Set<String> kept = new HashSet<>();

    public ActivityMonitors(Instance instance, Duration feedRetention, RetentionService retentionService) {
        this.instance = instance;
        this.token = instance.environment().random().nextLong();
        this.retentionService = retentionService;
        this.leases = new MonitorLeases(instance, monitors);
        this.trimmer = new FeedTrimmer(instance, monitors, feedRetention);
        this.useCheck = new TypeUseCheck(instance, monitors);
        this.releaser = new DependentReleaser(instance);
    }

    /**
     * Starts the monitor and the retention sweep of a type unless they run, and with the first type the services for
     * all types. They run until this object closes.
     */
    public synchronized void watchOver(JobType<?, ?> type) {
        kept.add(type.name());
        types.given(type);
        start(type);
    }

    private void start(JobType<?, ?> type) {
        boolean isNew = monitors.ifPresent(type.name()).isEmpty();
        boolean isFirst = monitors.count() == 0;
        monitors.get(type.name(), this::monitor);
        if (isNew) {
            leases.look();
        }
        if (isFirst) {
            trimmer.start();
            useCheck.start();
            releaser.start();
        }
        retentionService.sweep(type);
    }

    /** {@return whether a type is in use, to the knowledge of this process} */
    public boolean isInUse(String typeName) {
        return leases.isInUse(typeName);
    }

    /** Registers a listener that runs after each round that found out which types are in use. */
    public void afterEachLook(Runnable listener) {
        leases.afterEachLook(listener);
    }

    /**
     * A worker starts to run jobs of a type. Its retry policy and its retention apply from now on. The type is
     * monitored until its last worker ends.
     *
     * @throws IllegalArgumentException if another worker of the type has a different policy or retention
     */
    public synchronized void workerBegins(JobType<?, ?> type) {
        types.begin(type);
        try {
            start(type);
        } catch (CouchJobsClosedException e) {
            types.end(type);
            throw e;
        }
    }

    /** A worker stops running jobs of a type. */
    public synchronized void workerEnds(JobType<?, ?> type) {
        if (types.end(type) && !kept.contains(type.name())) {
            monitors.release(type.name());
            retentionService.release(type.name());
        }
    }

    private ActivityMonitor monitor(String typeName) {
        return new ActivityMonitor(instance, typeName, token, () -> types.of(typeName));
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
