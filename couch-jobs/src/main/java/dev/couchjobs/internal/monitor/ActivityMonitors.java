package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The activity monitors of one instance, one for each type that it has to do with. */
public final class ActivityMonitors implements AutoCloseable {
    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final Duration feedRetention;

    private final Map<String, ActivityMonitor> monitors = new HashMap<>(); // guarded by itself
    private boolean closed; // guarded by monitors

    public ActivityMonitors(
            Database database,
            Environment environment,
            Keyspace keyspace,
            Transactions transactions,
            Duration feedRetention) {
        this.database = database;
        this.environment = environment;
        this.keyspace = keyspace;
        this.transactions = transactions;
        this.feedRetention = feedRetention;
    }

    /** Starts the monitor of a type, unless it runs already. */
    public void watchOver(String typeName) {
        synchronized (monitors) {
            if (closed) {
                throw new CouchJobsClosedException();
            }
            monitors.computeIfAbsent(typeName, this::started);
        }
    }

    private ActivityMonitor started(String typeName) {
        ActivityMonitor monitor =
                new ActivityMonitor(database, environment, keyspace, transactions, typeName, feedRetention);
        monitor.start();
        return monitor;
    }

    @Override
    public void close() {
        List<ActivityMonitor> all;
        synchronized (monitors) {
            closed = true;
            all = List.copyOf(monitors.values());
        }
        all.forEach(ActivityMonitor::close);
    }
}
