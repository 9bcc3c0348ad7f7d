package dev.couchjobs.internal.notify;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Stamps;
import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The subscriptions of one instance (RFC 007, {@code subscribe}, {@code unsubscribe}, {@code wait}). */
public final class Notifiers implements AutoCloseable {
    private final Instance instance;
    private final Mailroom mailroom;
    private final Workers<String, Notifier> notifiers = new Workers<>(Notifier::close);

    public Notifiers(Instance instance) {
        this.instance = instance;
        this.mailroom = new Mailroom(
                instance.environment().scheduler(), instance.database().getExecutor(), this::forget);
    }

    /** Reads the job's state at some version and then follows the feed from that very version on. */
    public <D> CompletableFuture<Subscription<D>> subscribe(
            ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        JobRef ref = instance.keyspace().job(type.name(), jobId);
        return instance.transactions()
                .named("subscribe", type.name())
                .read(context, tx -> find(tx, ref))
                .thenApply(found -> {
                    FeedSubscription<D> subscription =
                            new FeedSubscription<>(type, ref, instance.codec(), found, mailroom);
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
        notifiers.ifPresent(subscription.type().name()).ifPresent(notifier -> notifier.remove(subscription));
    }

    private Notifier notifier(JobType<?, ?> type) {
        return notifiers.get(type.name(), name -> new Notifier(instance, name, mailroom));
    }

    @Override
    public void close() {
        notifiers.close();
        mailroom.close();
    }
}
