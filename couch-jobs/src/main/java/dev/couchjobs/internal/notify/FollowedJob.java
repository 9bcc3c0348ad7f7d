package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.rows.JobRef;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A job that this process follows, and its subscribers.
 *
 * <p>Not thread-safe.
 */
final class FollowedJob {
    /** A row, the progress and the next entry of the log. */
    private static final int WATCHES_WITH_LOG = 3;

    private final JobRef ref;
    private final List<FeedSubscription<?>> subscribers = new ArrayList<>();
    /** All subscribers have received all changes up to this sequence. */
    private Versionstamp receivedUpTo;
    /** The earliest position of the subscribers that were added since the present round began. */
    private @Nullable Versionstamp addedAt;
    /** The job's fingerprint at {@link #receivedUpTo}, if it was read. */
    private @Nullable JobFingerprint fingerprint;
    /** Whether the next round has to read the job. */
    private boolean needsRead = true;

    private List<CompletableFuture<Void>> watches = List.of();

    FollowedJob(JobRef ref, Versionstamp receivedUpTo) {
        this.ref = ref;
        this.receivedUpTo = receivedUpTo;
    }

    /**
     * The state of a followed job at the beginning of a round.
     *
     * @param job the job
     * @param receivedUpTo its subscribers have received all changes up to this sequence
     * @param fingerprint the job's fingerprint at that sequence, if it was read
     * @param subscribers the subscriptions to which the round delivers changes
     * @param allChanges whether a subscriber wants all changes, and not only the end
     * @param needsRead whether a watch of the job has fired, or it has a new subscriber
     * @param armed whether its watches are armed
     */
    record JobSnapshot(
            FollowedJob job,
            Versionstamp receivedUpTo,
            @Nullable JobFingerprint fingerprint,
            List<FeedSubscription<?>> subscribers,
            boolean allChanges,
            boolean needsRead,
            boolean armed) {
        JobRef ref() {
            return job.ref;
        }
    }

    /** Begins a round that reads this job. */
    JobSnapshot beginRound() {
        JobSnapshot snapshot = new JobSnapshot(
                this, receivedUpTo, fingerprint, List.copyOf(subscribers), wantsAllChanges(), needsRead, isWatched());
        needsRead = false;
        addedAt = null;
        return snapshot;
    }

    void add(FeedSubscription<?> subscription) {
        boolean wantedAllChanges = wantsAllChanges();
        subscribers.add(subscription);
        if (wantsAllChanges() != wantedAllChanges) {
            unwatch();
            fingerprint = null;
        }
        Versionstamp position = subscription.position();
        receivedUpTo = earlier(receivedUpTo, position);
        addedAt = addedAt == null ? position : earlier(addedAt, position);
        needsRead = true;
    }

    /** Removes a subscriber, and returns whether there was such a subscriber. */
    boolean remove(FeedSubscription<?> subscription) {
        return subscribers.remove(subscription);
    }

    boolean hasSubscribers() {
        return !subscribers.isEmpty();
    }

    /** Whether a subscriber wants all changes, and not only the end. */
    boolean wantsAllChanges() {
        return subscribers.stream().anyMatch(subscription -> !subscription.isEndOnly());
    }

    /** The largest number of watches that it may need. */
    int watchesAtMost() {
        return wantsAllChanges() ? WATCHES_WITH_LOG : 1;
    }

    /** Whether a change of that sequence has not been delivered to all subscribers. */
    boolean isNew(Versionstamp sequence) {
        return sequence.compareTo(receivedUpTo) > 0;
    }

    boolean needsRead() {
        return needsRead;
    }

    /** Lets the next round read the job. */
    void requestRead() {
        needsRead = true;
    }

    /**
     * Records that the subscribers of a snapshot have received all changes up to a sequence.
     *
     * @param readFingerprint the job's fingerprint at that sequence, if it was read
     */
    void advanceTo(Versionstamp sequence, @Nullable JobFingerprint readFingerprint) {
        receivedUpTo = addedAt == null ? sequence : earlier(addedAt, sequence);
        fingerprint = readFingerprint;
    }

    void watch(List<CompletableFuture<Void>> armed) {
        unwatch();
        watches = armed;
    }

    boolean isWatched() {
        return !watches.isEmpty();
    }

    boolean isWatchedBy(CompletableFuture<Void> watch) {
        return watches.stream().anyMatch(armed -> armed == watch);
    }

    void unwatch() {
        List<CompletableFuture<Void>> cancelled = watches;
        watches = List.of();
        cancelled.forEach(watch -> watch.cancel(false));
    }

    private static Versionstamp earlier(Versionstamp left, Versionstamp right) {
        return left.compareTo(right) < 0 ? left : right;
    }
}
