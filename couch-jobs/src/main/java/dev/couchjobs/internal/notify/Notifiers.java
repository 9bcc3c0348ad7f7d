package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Stamps;
import dev.couchjobs.internal.verbs.PayloadCodec;
import dev.couchjobs.internal.verbs.Transactions;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The subscriptions of one instance (RFC 007, {@code subscribe}, {@code unsubscribe}, {@code wait}). */
public final class Notifiers implements AutoCloseable {
    private final Database database;
    private final Environment environment;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final Mailroom mailroom;

    private final Map<String, Notifier> notifiers = new HashMap<>(); // guarded by itself
    private boolean closed; // guarded by notifiers

    public Notifiers(
            Database database,
            Environment environment,
            Keyspace keyspace,
            Transactions transactions,
            PayloadCodec codec) {
        this.database = database;
        this.environment = environment;
        this.keyspace = keyspace;
        this.transactions = transactions;
        this.codec = codec;
        this.mailroom = new Mailroom(environment.scheduler(), database.getExecutor(), this::forget);
    }

    /** Reads the job's state at some version and then follows the feed from that very version on. */
    public <D> CompletableFuture<Subscription<D>> subscribe(
            ReadTransactionContext context, JobType<D> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions.read(context, tx -> find(tx, ref)).thenApply(found -> {
            FeedSubscription<D> subscription = new FeedSubscription<>(type, ref, codec, found, mailroom);
            if (!subscription.isEnded()) {
                notifier(type).add(subscription);
            }
            return subscription;
        });
    }

    private static CompletableFuture<Change> find(ReadTransaction tx, JobRef ref) {
        return tx.getReadVersion()
                .thenCompose(version -> JobTable.read(tx, ref).thenCompose(row -> {
                    JobState state = row.map(JobRow::state).orElse(JobState.NOT_FOUND);
                    return row.isEmpty()
                            ? CompletableFuture.completedFuture(
                                    new Change(Stamps.upTo(version), state, Optional.empty()))
                            : row.get()
                                    .payload()
                                    .load(tx, ref)
                                    .thenApply(json -> new Change(Stamps.upTo(version), state, Optional.of(json)));
                }));
    }

    /** {@return the next change, or empty when the time is up or none can come any more} */
    public CompletableFuture<Optional<JobEvent<?>>> await(
            Collection<? extends Subscription<?>> subscriptions, @Nullable JobState state, Duration timeout) {
        return mailroom.await(subscriptions, state, timeout);
    }

    private void forget(FeedSubscription<?> subscription) {
        Notifier notifier;
        synchronized (notifiers) {
            notifier = notifiers.get(subscription.type().name());
        }
        if (notifier != null) {
            notifier.remove(subscription);
        }
    }

    private Notifier notifier(JobType<?> type) {
        synchronized (notifiers) {
            if (closed) {
                throw new CouchJobsClosedException();
            }
            return notifiers.computeIfAbsent(
                    type.name(),
                    name -> new Notifier(database, environment, transactions, keyspace.type(name), mailroom));
        }
    }

    @Override
    public void close() {
        List<Notifier> all;
        synchronized (notifiers) {
            closed = true;
            all = List.copyOf(notifiers.values());
        }
        all.forEach(Notifier::close);
        mailroom.close();
    }
}
