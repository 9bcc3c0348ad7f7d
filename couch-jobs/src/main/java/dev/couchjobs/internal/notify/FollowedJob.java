package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.data.JobFingerprint;
import dev.couchjobs.internal.data.JobRef;
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
    /** The row, the progress and the next entry of the log. */
    private static final int WATCHES_WITH_LOG = 3;

    private final JobRef ref;
    private final List<FeedSubscription<?>> subscribers = new ArrayList<>();
    /** All subscribers have received all changes up to here. */
    private Versionstamp known;
    /** The earliest position of the subscribers that joined since the present round began. */
    private @Nullable Versionstamp joinedAt;
    /** What the job looked like at {@link #known}, if that was seen. */
    private @Nullable JobFingerprint fingerprint;
    /** Whether the next round has to look at it. */
    private boolean due = true;

    private List<CompletableFuture<Void>> watches = List.of();

    FollowedJob(JobRef ref, Versionstamp known) {
        this.ref = ref;
        this.known = known;
    }

    /**
     * A job as a round found it.
     *
     * @param job the job
     * @param known what its subscribers have been told up to
     * @param fingerprint what it looked like then
     * @param subscribers the subscriptions that receive the change
     * @param withLog whether some of them want entries of its log
     * @param due whether something happened to the job since, or there is a new subscriber
     * @param armed whether its watches are armed
     */
    record Look(
            FollowedJob job,
            Versionstamp known,
            @Nullable JobFingerprint fingerprint,
            List<FeedSubscription<?>> subscribers,
            boolean withLog,
            boolean due,
            boolean armed) {
        JobRef ref() {
            return job.ref;
        }
    }

    Look look() {
        Look look = new Look(this, known, fingerprint, List.copyOf(subscribers), wantsAllChanges(), due, isWatched());
        due = false;
        joinedAt = null;
        return look;
    }

    void add(FeedSubscription<?> subscription) {
        boolean hadLog = wantsAllChanges();
        subscribers.add(subscription);
        if (wantsAllChanges() != hadLog) {
            unwatch();
            fingerprint = null;
        }
        Versionstamp position = subscription.position();
        known = earlier(known, position);
        joinedAt = joinedAt == null ? position : earlier(joinedAt, position);
        due = true;
    }

    /** False if it did not have that subscriber. */
    boolean remove(FeedSubscription<?> subscription) {
        return subscribers.remove(subscription);
    }

    boolean isWanted() {
        return !subscribers.isEmpty();
    }

    /** Whether a subscriber wants all changes, not only the end. */
    boolean wantsAllChanges() {
        return subscribers.stream().anyMatch(subscription -> !subscription.isEndOnly());
    }

    /** How many watches it may need. */
    int watchesAtMost() {
        return wantsAllChanges() ? WATCHES_WITH_LOG : 1;
    }

    /** Whether its subscribers have not received that change. */
    boolean isNew(Versionstamp sequence) {
        return sequence.compareTo(known) > 0;
    }

    boolean isDue() {
        return due;
    }

    void makeDue() {
        due = true;
    }

    /** All subscribers of a look have been told what happened up to some place, where the job looked like that. */
    void told(Versionstamp upTo, @Nullable JobFingerprint seen) {
        known = joinedAt == null ? upTo : earlier(joinedAt, upTo);
        fingerprint = seen;
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
        List<CompletableFuture<Void>> all = watches;
        watches = List.of();
        all.forEach(watch -> watch.cancel(false));
    }

    private static Versionstamp earlier(Versionstamp one, Versionstamp other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
