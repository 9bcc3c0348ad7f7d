package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.monitor.ActivityMonitors;
import dev.couchjobs.internal.verbs.PayloadCodec;
import dev.couchjobs.internal.verbs.Transactions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The acceptors of one instance, one for each job type, made when first needed; who accepts jobs also watches over them. */
public final class Acceptors implements AutoCloseable {
    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final ActivityMonitors monitors;

    private final Map<JobType<?>, Acceptor<?>> acceptors = new HashMap<>(); // guarded by itself
    private boolean closed; // guarded by acceptors

    public Acceptors(
            Database database,
            Environment environment,
            Keyspace keyspace,
            Transactions transactions,
            PayloadCodec codec,
            ActivityMonitors monitors) {
        this.database = database;
        this.environment = environment;
        this.keyspace = keyspace;
        this.transactions = transactions;
        this.codec = codec;
        this.monitors = monitors;
    }

    /** {@return a claimed job, or empty when the time is up} */
    public <D> CompletableFuture<Optional<Job<D>>> accept(JobType<D> type, AcceptOptions options) {
        Acceptor<D> acceptor;
        synchronized (acceptors) {
            if (closed) {
                return CompletableFuture.failedFuture(new CouchJobsClosedException());
            }
            acceptor = acceptor(type);
        }
        return acceptor.accept(options);
    }

    @SuppressWarnings("unchecked") // a job type is only ever the key of an acceptor of its own data type
    private <D> Acceptor<D> acceptor(JobType<D> type) {
        return (Acceptor<D>) acceptors.computeIfAbsent(type, unused -> create(type));
    }

    private <D> Acceptor<D> create(JobType<D> type) {
        monitors.watchOver(type.name());
        return new Acceptor<>(
                type,
                database,
                environment,
                transactions,
                new Claims<>(type, keyspace, environment, codec),
                new HandBack(database, keyspace, transactions));
    }

    @Override
    public void close() {
        List<Acceptor<?>> all;
        synchronized (acceptors) {
            closed = true;
            all = List.copyOf(acceptors.values());
        }
        all.forEach(Acceptor::close);
    }
}
