package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.loop.RootCauses;
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
 * A subscription: the changes it has received, and which of them have not been taken yet. It keeps no data of the job
 * but what was found when it was made.
 *
 * <p>The lock is the dispatcher's, which all its subscriptions share.
 */
final class FeedSubscription<D> implements Subscription<D> {
    /** What a subscriber asks of the dispatcher. */
    interface Owner {
        CompletableFuture<Optional<JobEvent<?>>> await(
                List<FeedSubscription<?>> subscriptions, @Nullable JobState state, Duration timeout);

        /** Called without the lock. */
        void unsubscribe(FeedSubscription<?> subscription);
    }

    private static final int CHANGES_KEPT_MAX = 1_024;

    private final JobType<D, ?> type;
    private final JobRef ref;
    private final PayloadCodec codec;
    private final PendingChange found;
    private final Optional<byte[]> foundJson;
    private final boolean isEndOnly;
    private final Object lock;
    private final Owner owner;

    /** The changes that have not been taken. */
    @GuardedBy("lock") private final Deque<PendingChange> unclaimed = new ArrayDeque<>();

    /** The sequence of the last change that this subscriber has received. */
    @GuardedBy("lock") private Versionstamp position;

    @GuardedBy("lock") private boolean ended;

    /**
     * A subscription that has received nothing after what was found.
     *
     * @param foundJson the job's data as it was found
     * @param isEndOnly whether it takes in no other change than the last
     * @param lock the dispatcher's lock
     * @param owner the dispatcher
     */
    FeedSubscription(
            JobType<D, ?> type,
            JobRef ref,
            PayloadCodec codec,
            PendingChange found,
            Optional<byte[]> foundJson,
            boolean isEndOnly,
            Object lock,
            Owner owner) {
        this.type = type;
        this.foundJson = foundJson;
        this.isEndOnly = isEndOnly;
        this.ref = ref;
        this.codec = codec;
        this.found = found;
        this.lock = lock;
        this.owner = owner;
        this.position = found.sequence();
        if (found.state().isTerminal()) {
            unclaimed.add(found);
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
        return found.state();
    }

    @Override
    public Optional<D> data() {
        return decode(foundJson);
    }

    private Optional<D> decode(Optional<byte[]> json) {
        return json.map(stored -> codec.decode(type, ref.id(), stored));
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

    /** The same subscriptions, if all are of one instance; there is at least one. */
    static List<FeedSubscription<?>> allOf(Collection<? extends Subscription<?>> subscriptions) {
        List<FeedSubscription<?>> all = new ArrayList<>();
        for (Subscription<?> subscription : subscriptions) {
            if (!(subscription instanceof FeedSubscription<?> known)) {
                throw new IllegalArgumentException(
                        "A subscription to wait for is one that subscribe returned; this is a "
                                + subscription.getClass().getName() + ".");
            }
            if (!all.isEmpty() && known.owner != all.get(0).owner) {
                throw new IllegalArgumentException(
                        "Wait for subscriptions of one CouchJobs instance at a time: that of job " + known.jobId()
                                + " was made by another.");
            }
            all.add(known);
        }
        return all;
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

    /** Whether a change is what was found, with the data that was found. */
    boolean isFound(PendingChange change) {
        return change.equals(found);
    }

    JobRef ref() {
        return ref;
    }

    /** An event of the change, with the data that was found. */
    JobEvent<D> foundEvent() {
        return event(found, foundJson);
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

    /** Receives a change, unless it has ended or has received the change already: a feed may be read twice. */
    void offer(PendingChange change) {
        synchronized (lock) {
            boolean isEnd = change.state().isTerminal();
            if (ended || (isEndOnly && !isEnd) || change.sequence().compareTo(position) <= 0) {
                return;
            }
            position = change.sequence();
            ended = isEnd;
            unclaimed.add(change);
            if (unclaimed.size() > CHANGES_KEPT_MAX) {
                unclaimed.removeFirst();
            }
        }
    }

    /** The first change not yet waited for, of one state or of any. */
    Optional<PendingChange> peek(@Nullable JobState state) {
        synchronized (lock) {
            return unclaimed.stream()
                    .filter(change -> state == null || change.state() == state)
                    .findFirst();
        }
    }

    /** Hands a change to the caller, and drops the changes before it. */
    void take(PendingChange change) {
        synchronized (lock) {
            unclaimed.removeIf(other -> other.sequence().compareTo(change.sequence()) <= 0);
        }
    }

    boolean canBringMore() {
        synchronized (lock) {
            return !ended;
        }
    }

    void end() {
        synchronized (lock) {
            ended = true;
            unclaimed.clear();
        }
    }
}
