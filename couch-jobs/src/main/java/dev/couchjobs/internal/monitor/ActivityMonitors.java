package dev.couchjobs.internal.monitor;

import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;

/** The activity monitors and the releasers of one instance, one of each for every type that it has to do with. */
public final class ActivityMonitors implements AutoCloseable {
    private final Instance instance;
    private final Duration feedRetention;
    private final Workers<String, ActivityMonitor> monitors = new Workers<>(ActivityMonitor::close);
    private final Workers<String, Releaser> releasers = new Workers<>(Releaser::close);

    public ActivityMonitors(Instance instance, Duration feedRetention) {
        this.instance = instance;
        this.feedRetention = feedRetention;
    }

    /** Starts the monitor and the releaser of a type, unless they run already. */
    public void watchOver(String typeName) {
        monitors.get(typeName, this::started);
        releasers.get(typeName, this::releasing);
    }

    private ActivityMonitor started(String typeName) {
        ActivityMonitor monitor = new ActivityMonitor(instance, typeName, feedRetention);
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
