package dev.couchjobs.internal.notify;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one instance (RFC 007, {@code subscribe}, {@code unsubscribe}, {@code wait}). Each type of which
 * a job is followed has a notifier, which is closed with the last subscription.
 */
public final class Notifiers implements AutoCloseable {
    private final Instance instance;
    private final EventDispatcher dispatcher;
    private final WatchBudget budget = new WatchBudget();
    private final ServiceRegistry<String, Notifier> notifiers = new ServiceRegistry<>(Notifier::close);

    public Notifiers(Instance instance) {
        this.instance = instance;
        this.dispatcher = new EventDispatcher(
                instance.environment().scheduler(), instance.executor(), this::remove, this::readData);
    }

    /** Reads the job's state and data, and follows the job from the version of that read on. */
    public <D> CompletableFuture<Subscription<D>> subscribe(
            ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        JobRef ref = instance.keyspace().job(type.name(), jobId);
        return read(context, "subscribe", ref, (tx, row) -> loadPayload(tx, ref, row))
                .thenApply(initial -> follow(type, ref, initial, false));
    }

    /** Follows the job, and receives no change but its end. */
    <D> CompletableFuture<FeedSubscription<D>> followEnd(JobType<D, ?> type, String jobId) {
        JobRef ref = instance.keyspace().job(type.name(), jobId);
        return read(
                        instance.database(),
                        "subscribe",
                        ref,
                        (tx, row) -> CompletableFuture.completedFuture(Optional.empty()))
                .thenApply(initial -> follow(type, ref, initial, true));
    }

    /** The state and data of a job when a subscription begins. */
    private record InitialState(PendingChange change, Optional<byte[]> json) {}

    private CompletableFuture<InitialState> read(
            ReadTransactionContext context,
            String purpose,
            JobRef ref,
            BiFunction<ReadTransaction, Optional<JobRow>, CompletableFuture<Optional<byte[]>>> loadData) {
        return instance.transactions()
                .named(purpose, ref.keys().typeName())
                .read(
                        context,
                        tx -> tx.getReadVersion()
                                .thenCompose(version -> JobTable.read(tx, ref).thenCompose(row -> {
                                    JobState state = row.map(JobRow::state).orElse(JobState.NOT_FOUND);
                                    PendingChange change =
                                            new PendingChange(IncompleteVersionstamps.upTo(version), state);
                                    return loadData.apply(tx, row).thenApply(json -> new InitialState(change, json));
                                })));
    }

    private static CompletableFuture<Optional<byte[]>> loadPayload(
            ReadTransaction tx, JobRef ref, Optional<JobRow> row) {
        return row.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : row.get().payload().load(tx, ref).thenApply(Optional::of);
    }

    private CompletableFuture<Optional<byte[]>> readData(JobRef ref) {
        return read(instance.database(), "read event of", ref, (tx, row) -> loadPayload(tx, ref, row))
                .thenApply(InitialState::json);
    }

    private <D> FeedSubscription<D> follow(JobType<D, ?> type, JobRef ref, InitialState initial, boolean isEndOnly) {
        FeedSubscription<D> subscription =
                dispatcher.subscription(type, ref, instance.codec(), initial.change(), initial.json(), isEndOnly);
        if (!subscription.isEnded()) {
            synchronized (this) {
                notifiers.get(type.name(), this::newNotifier).add(subscription);
            }
        }
        return subscription;
    }

    private Notifier newNotifier(String typeName) {
        return new Notifier(instance, typeName, dispatcher, budget, this::remove);
    }

    /** {@return the next change, or empty after the timeout or when no change can follow} */
    @SuppressWarnings("unchecked") // an event has the data type of its subscription, and events are only read
    public static <D> CompletableFuture<Optional<JobEvent<D>>> awaitAny(
            Collection<? extends Subscription<? extends D>> subscriptions, @Nullable JobState state, Duration timeout) {
        Duration longest = Durations.limit("timeout", timeout);
        if (subscriptions.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        List<FeedSubscription<?>> feedSubscriptions = FeedSubscription.allOf(subscriptions);
        CompletableFuture<?> event = feedSubscriptions.get(0).owner().await(feedSubscriptions, state, longest);
        return (CompletableFuture<Optional<JobEvent<D>>>) event;
    }

    /** {@return whether the job has finished; false if it was removed or the subscription was closed} */
    CompletableFuture<Boolean> awaitFinish(FeedSubscription<?> subscription) {
        return dispatcher
                .awaitChange(List.of(subscription), JobState.FINISHED, null)
                .thenApplyAsync(Optional::isPresent, instance.executor());
    }

    private synchronized void remove(FeedSubscription<?> subscription) {
        String typeName = subscription.type().name();
        notifiers.ifPresent(typeName).ifPresent(notifier -> {
            if (notifier.remove(subscription)) {
                notifiers.release(typeName);
            }
        });
    }

    @Override
    public void close() {
        notifiers.close();
        dispatcher.close();
    }
}
