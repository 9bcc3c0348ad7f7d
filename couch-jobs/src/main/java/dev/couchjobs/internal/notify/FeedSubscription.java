package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to the changes of one job. It holds the changes that it has received and not delivered. Of the job's
 * data it holds only the initial state, which was read when the subscription was created.
 *
 * <p>All subscriptions share the lock of the dispatcher.
 */
final class FeedSubscription<D> implements Subscription<D> {
    /** The dispatcher, as its subscriptions use it. */
    interface Owner {
        CompletableFuture<Optional<JobEvent<?>>> await(
                List<FeedSubscription<?>> subscriptions, @Nullable JobState state, Duration timeout);

        /** Ends a subscription. Called without the lock. */
        void unsubscribe(FeedSubscription<?> subscription);
    }

    private static final int UNDELIVERED_MAX = 1_024;

    private final JobType<D, ?> type;
    private final JobRef ref;
    private final PayloadCodec codec;
    private final PendingChange initial;
    private final Optional<byte[]> initialJson;
    private final boolean isEndOnly;
    private final Object lock;
    private final Owner owner;

    /** The changes that have been received and not delivered to a caller. */
    @GuardedBy("lock") private final Deque<PendingChange> undelivered = new ArrayDeque<>();

    /** The sequence of the last change that this subscriber has received. */
    @GuardedBy("lock") private Versionstamp position;

    @GuardedBy("lock") private boolean ended;

    /**
     * Creates a subscription, which has received no change after its initial state.
     *
     * @param initialJson the job's data in its initial state
     * @param isEndOnly whether it receives no change but the job's end
     * @param lock the dispatcher's lock
     * @param owner the dispatcher
     */
    FeedSubscription(
            JobType<D, ?> type,
            JobRef ref,
            PayloadCodec codec,
            PendingChange initial,
            Optional<byte[]> initialJson,
            boolean isEndOnly,
            Object lock,
            Owner owner) {
        this.type = type;
        this.initialJson = initialJson;
        this.isEndOnly = isEndOnly;
        this.ref = ref;
        this.codec = codec;
        this.initial = initial;
        this.lock = lock;
        this.owner = owner;
        this.position = initial.sequence();
        if (initial.state().isTerminal()) {
            undelivered.add(initial);
            ended = true;
        }
    }

    @Override
    public JobType<D, ?> type() {
        return type;
    }

    @Override
    public String jobId() {
        return ref.id();
    }

    @Override
    public JobState state() {
        return initial.state();
    }

    @Override
    public Optional<D> data() {
        return decode(initialJson);
    }

    private Optional<D> decode(Optional<byte[]> json) {
        return json.map(bytes -> codec.decode(type, ref.id(), bytes));
    }

    @Override
    public boolean isEnded() {
        synchronized (lock) {
            return ended;
        }
    }

    @Override
    public CompletableFuture<Optional<JobEvent<D>>> awaitEvent(Duration timeout) {
        return Notifiers.awaitAny(List.of(this), null, timeout);
    }

    @Override
    public CompletableFuture<Optional<JobEvent<D>>> awaitEvent(JobState state, Duration timeout) {
        return Notifiers.awaitAny(List.of(this), state, timeout);
    }

    @Override
    public void close() {
        owner.unsubscribe(this);
    }

    Owner owner() {
        return owner;
    }

    /**
     * Casts subscriptions.
     *
     * @throws IllegalArgumentException if they are not of one instance
     */
    static List<FeedSubscription<?>> allOf(Collection<? extends Subscription<?>> subscriptions) {
        List<FeedSubscription<?>> cast = new ArrayList<>();
        for (Subscription<?> each : subscriptions) {
            if (!(each instanceof FeedSubscription<?> subscription)) {
                throw new IllegalArgumentException(
                        "A subscription to wait for is one that subscribe returned; this is a "
                                + each.getClass().getName() + ".");
            }
            if (!cast.isEmpty() && subscription.owner != cast.get(0).owner) {
                throw new IllegalArgumentException(
                        "Wait for subscriptions of one CouchJobs instance at a time: that of job "
                                + subscription.jobId() + " was made by another.");
            }
            cast.add(subscription);
        }
        return cast;
    }

    /** The sequence of the last change that this subscriber has received. */
    Versionstamp position() {
        synchronized (lock) {
            return position;
        }
    }

    boolean isEndOnly() {
        return isEndOnly;
    }

    /** Whether a change is the initial state. */
    boolean isInitial(PendingChange change) {
        return change.equals(initial);
    }

    JobRef ref() {
        return ref;
    }

    /** An event of the initial state, with its data. */
    JobEvent<D> initialEvent() {
        return event(initial, initialJson);
    }

    JobEvent<D> event(PendingChange change, Optional<byte[]> json) {
        return new ReportedChange<>(type, ref.id(), change, () -> decode(json));
    }

    /** An event whose data could not be read. */
    JobEvent<D> event(PendingChange change, Throwable error) {
        return new ReportedChange<>(type, ref.id(), change, () -> {
            throw RootCauses.thrown(error);
        });
    }

    /** Receives a change, unless the subscription has ended or has received it before: a feed may be read twice. */
    void offer(PendingChange change) {
        synchronized (lock) {
            boolean isEnd = change.state().isTerminal();
            if (ended || (isEndOnly && !isEnd) || change.sequence().compareTo(position) <= 0) {
                return;
            }
            position = change.sequence();
            ended = isEnd;
            undelivered.add(change);
            if (undelivered.size() > UNDELIVERED_MAX) {
                undelivered.removeFirst();
            }
        }
    }

    /**
     * The first undelivered change.
     *
     * @param state the state of the change, or null for any
     */
    Optional<PendingChange> peek(@Nullable JobState state) {
        synchronized (lock) {
            return undelivered.stream()
                    .filter(change -> state == null || change.state() == state)
                    .findFirst();
        }
    }

    /** Removes an undelivered change that is being delivered to a caller, and all changes before it. */
    void removeUpTo(PendingChange change) {
        synchronized (lock) {
            undelivered.removeIf(other -> other.sequence().compareTo(change.sequence()) <= 0);
        }
    }

    boolean canReceiveMore() {
        synchronized (lock) {
            return !ended;
        }
    }

    void end() {
        synchronized (lock) {
            ended = true;
            undelivered.clear();
        }
    }
}
