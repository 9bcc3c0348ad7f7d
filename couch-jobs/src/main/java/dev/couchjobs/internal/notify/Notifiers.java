package dev.couchjobs.internal.notify;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.data.IncompleteVersionstamps;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one instance (RFC 007, {@code subscribe}, {@code unsubscribe}, {@code wait}): a notifier for
 * each type of which a job is followed, released with the last of them.
 */
public final class Notifiers implements AutoCloseable {
    private final Instance instance;
    private final EventDispatcher dispatcher;
    private final WatchBudget budget = new WatchBudget();
    private final ServiceRegistry<String, Notifier> notifiers = new ServiceRegistry<>(Notifier::close);

    public Notifiers(Instance instance) {
        this.instance = instance;
        this.dispatcher = new EventDispatcher(
                instance.environment().scheduler(), instance.database().getExecutor(), this::forget, this::data);
    }

    /** Reads the job's state and data at some version, and then follows the job from that very version on. */
    public <D> CompletableFuture<Subscription<D>> subscribe(
            ReadTransactionContext context, JobType<D, ?> type, String jobId) {
        JobRef ref = instance.keyspace().job(type.name(), jobId);
        return reading(context, "subscribe", ref, (tx, row) -> payload(tx, ref, row))
                .thenApply(found -> follow(type, ref, found, false));
    }

    /** Follows the job, and takes in no change but its end. */
    <D> CompletableFuture<FeedSubscription<D>> followEnd(JobType<D, ?> type, String jobId) {
        JobRef ref = instance.keyspace().job(type.name(), jobId);
        return reading(
                        instance.database(),
                        "subscribe",
                        ref,
                        (tx, row) -> CompletableFuture.completedFuture(Optional.empty()))
                .thenApply(found -> follow(type, ref, found, true));
    }

    private record Found(PendingChange change, Optional<byte[]> json) {}

    private CompletableFuture<Found> reading(
            ReadTransactionContext context,
            String purpose,
            JobRef ref,
            BiFunction<ReadTransaction, Optional<JobRow>, CompletableFuture<Optional<byte[]>>> data) {
        return instance.transactions()
                .named(purpose, ref.keys().typeName())
                .read(
                        context,
                        tx -> tx.getReadVersion()
                                .thenCompose(version -> JobTable.read(tx, ref).thenCompose(row -> {
                                    JobState state = row.map(JobRow::state).orElse(JobState.NOT_FOUND);
                                    PendingChange change =
                                            new PendingChange(IncompleteVersionstamps.upTo(version), state);
                                    return data.apply(tx, row).thenApply(json -> new Found(change, json));
                                })));
    }

    private static CompletableFuture<Optional<byte[]>> payload(ReadTransaction tx, JobRef ref, Optional<JobRow> row) {
        return row.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : row.get().payload().load(tx, ref).thenApply(Optional::of);
    }

    private CompletableFuture<Optional<byte[]>> data(JobRef ref) {
        return reading(instance.database(), "read event of", ref, (tx, row) -> payload(tx, ref, row))
                .thenApply(Found::json);
    }

    private <D> FeedSubscription<D> follow(JobType<D, ?> type, JobRef ref, Found found, boolean toTheEnd) {
        FeedSubscription<D> subscription =
                dispatcher.subscription(type, ref, instance.codec(), found.change(), found.json(), toTheEnd);
        if (!subscription.isEnded()) {
            synchronized (this) {
                notifiers.get(type.name(), this::newNotifier).add(subscription);
            }
        }
        return subscription;
    }

    private Notifier newNotifier(String typeName) {
        return new Notifier(instance, typeName, dispatcher, budget, this::forget);
    }

    /** {@return the next change, or empty when the time is up or none can come any more} */
    @SuppressWarnings("unchecked") // an event has the data type of its subscription, and events are only read
    public static <D> CompletableFuture<Optional<JobEvent<D>>> awaitAny(
            Collection<? extends Subscription<? extends D>> subscriptions, @Nullable JobState state, Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("A timeout cannot be negative: " + timeout);
        }
        if (subscriptions.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        List<FeedSubscription<?>> known = FeedSubscription.allOf(subscriptions);
        CompletableFuture<?> event = known.get(0).owner().await(known, state, timeout);
        return (CompletableFuture<Optional<JobEvent<D>>>) event;
    }

    /** {@return whether the job was seen to be finished; false when it is gone, or the subscription was closed} */
    CompletableFuture<Boolean> awaitFinish(FeedSubscription<?> subscription) {
        return dispatcher
                .awaitChange(List.of(subscription), JobState.FINISHED, null)
                .thenApplyAsync(Optional::isPresent, instance.database().getExecutor());
    }

    private synchronized void forget(FeedSubscription<?> subscription) {
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
