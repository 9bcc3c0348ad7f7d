package dev.couchjobs.internal.monitor;

import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;

/** The activity monitors of one instance, one for each type that it has to do with. */
public final class ActivityMonitors implements AutoCloseable {
    private final Instance instance;
    private final Duration feedRetention;
    private final Workers<String, ActivityMonitor> monitors = new Workers<>(ActivityMonitor::close);

    public ActivityMonitors(Instance instance, Duration feedRetention) {
        this.instance = instance;
        this.feedRetention = feedRetention;
    }

    /** Starts the monitor of a type, unless it runs already. */
    public void watchOver(String typeName) {
        monitors.get(typeName, this::started);
    }

    private ActivityMonitor started(String typeName) {
        ActivityMonitor monitor = new ActivityMonitor(instance, typeName, feedRetention);
        monitor.start();
        return monitor;
    }

    @Override
    public void close() {
        monitors.close();
    }
}
