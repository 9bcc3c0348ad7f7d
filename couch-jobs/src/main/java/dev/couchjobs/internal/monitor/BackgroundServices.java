package dev.couchjobs.internal.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.sweep.RetentionService;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The background services of one instance: activity monitors, retention, feed trimming and release of dependents. */
public final class BackgroundServices implements AutoCloseable {
    private final Instance instance;
    private final RetentionService retentionService;
    private final long token;
    private final JobTypeRegistry types = new JobTypeRegistry();
    private final ServiceRegistry<String, ActivityMonitor> monitors = new ServiceRegistry<>(ActivityMonitor::close);
    private final MonitorLeases leases;
    private final FeedTrimmer trimmer;
    private final TypeUseCheck useCheck;
    private final DependentReleaser releaser;
    /** The types that stay monitored when this process has no worker for them. */
    @GuardedBy("this") private final Set<String> kept = new HashSet<>();

    public BackgroundServices(Instance instance, Duration feedRetention, RetentionService retentionService) {
        this.instance = instance;
        this.token = instance.environment().random().nextLong();
        this.retentionService = retentionService;
        this.leases = new MonitorLeases(instance, monitors, retentionService::noticed);
        this.trimmer = new FeedTrimmer(instance, monitors, feedRetention, leases::leavesToOthers);
        this.useCheck = new TypeUseCheck(instance, monitors);
        this.releaser = new DependentReleaser(instance);
    }

    /**
     * Starts the monitor and the retention sweep of a type unless they run. The first type also starts the services for
     * all types. The services run until this object closes.
     */
    public synchronized void monitor(JobType<?, ?> type) {
        kept.add(type.name());
        types.register(type);
        start(type);
    }

    private void start(JobType<?, ?> type) {
        boolean isNew = monitors.ifPresent(type.name()).isEmpty();
        boolean isFirst = monitors.count() == 0;
        monitors.get(type.name(), this::newMonitor);
        if (isNew) {
            leases.wakeUp();
        }
        if (isFirst) {
            trimmer.start();
            useCheck.start();
            releaser.start();
        }
        retentionService.sweep(type);
    }

    /** {@return whether a type is in use, as far as this process knows} */
    public boolean isInUse(String typeName) {
        return leases.isInUse(typeName);
    }

    /** Sets a listener that runs each time this process has read the types in use. */
    public void afterEachLeaseRead(Runnable listener) {
        leases.afterEachRead(listener);
    }

    /** Sets whether this process looks at once when a type comes into use, even in a large fleet. */
    public void looksAtNewTypesIf(BooleanSupplier condition) {
        leases.looksAtNewTypesIf(condition);
    }

    /** Says whether a type is served by a large fleet, as a worker of this process has counted. */
    public synchronized void inLargeFleet(String typeName, boolean isLarge) {
        leases.inLargeFleet(typeName, isLarge && types.hasWorkers(typeName));
    }

    /**
     * Says whether this process leads those that wait for jobs of a type (rfc/017), after each of its claims.
     *
     * @param hasClaimed whether this process has led, and has claimed jobs
     * @param leads whether it leads now
     */
    public void claimed(String typeName, boolean hasClaimed, boolean leads) {
        leases.claimed(typeName, hasClaimed, leads);
    }

    /**
     * Starts the services of a type for a worker. The retry policy and the retention of the worker's type apply from
     * now on. The type is monitored until its last worker ends.
     *
     * @throws IllegalArgumentException if another worker of the type has a different policy or retention
     */
    public synchronized void workerBegins(JobType<?, ?> type) {
        types.addWorker(type);
        try {
            start(type);
        } catch (CouchJobsClosedException e) {
            types.removeWorker(type);
            throw e;
        }
    }

    /** Stops the services of a type when its last worker ends. */
    public synchronized void workerEnds(JobType<?, ?> type) {
        if (!types.removeWorker(type)) {
            return;
        }
        leases.inLargeFleet(type.name(), false);
        if (!kept.contains(type.name())) {
            monitors.release(type.name());
            retentionService.release(type.name());
        }
    }

    private ActivityMonitor newMonitor(String typeName) {
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
