package dev.couchjobs.internal.notify;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.loop.Causes;
import dev.couchjobs.internal.verbs.PayloadCodec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A subscription: what it has been told, and which of that has not been taken yet. It keeps no data of the job but what
 * was found when it was made. Its state is guarded by the mailroom.
 */
final class FeedSubscription<D> implements Subscription<D> {
    private static final int CHANGES_KEPT_MAX = 1_024;

    private final JobType<D, ?> type;
    private final JobRef ref;
    private final PayloadCodec codec;
    private final Change found;
    private final Optional<byte[]> foundJson;
    private final boolean wantsOnlyTheEnd;
    private final Mailroom mailroom;

    private final Deque<Change> unclaimed = new ArrayDeque<>();
    private final Set<Wait> waits = new LinkedHashSet<>();
    private Versionstamp position;
    private boolean ended;

    /**
     * A subscription that has been told of nothing after what was found.
     *
     * @param foundJson the job's data as it was found
     * @param wantsOnlyTheEnd whether it takes in no other change than the last
     */
    FeedSubscription(
            JobType<D, ?> type,
            JobRef ref,
            PayloadCodec codec,
            Change found,
            Optional<byte[]> foundJson,
            boolean wantsOnlyTheEnd,
            Mailroom mailroom) {
        this.type = type;
        this.foundJson = foundJson;
        this.wantsOnlyTheEnd = wantsOnlyTheEnd;
        this.ref = ref;
        this.codec = codec;
        this.found = found;
        this.mailroom = mailroom;
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
        synchronized (mailroom) {
            return ended;
        }
    }

    @Override
    public void close() {
        mailroom.unsubscribe(this);
    }

    boolean isOf(Mailroom other) {
        return mailroom == other;
    }

    /** The sequence after which this subscriber has been told nothing. */
    Versionstamp position() {
        synchronized (mailroom) {
            return position;
        }
    }

    boolean wantsOnlyTheEnd() {
        return wantsOnlyTheEnd;
    }

    /** Whether a change is what was found, with the data that was found. */
    boolean isFound(Change change) {
        return change.equals(found);
    }

    JobRef ref() {
        return ref;
    }

    /** An event of the change, with the data that was found. */
    JobEvent<D> foundEvent() {
        return event(found, foundJson);
    }

    JobEvent<D> event(Change change, Optional<byte[]> json) {
        return new ReportedChange<>(type, ref.id(), change, () -> decode(json));
    }

    /** An event whose data could not be read. */
    JobEvent<D> event(Change change, Throwable error) {
        return new ReportedChange<>(type, ref.id(), change, () -> {
            throw Causes.thrown(error);
        });
    }

    // What follows is called with the mailroom locked.

    /** The waits for a change of this job, first come first. */
    Set<Wait> waits() {
        return waits;
    }

    /** Takes a change in, unless it has ended or has been told of it already: a feed may be read twice. */
    void offer(Change change) {
        boolean isEnd = change.state().isTerminal();
        if (ended || (wantsOnlyTheEnd && !isEnd) || change.sequence().compareTo(position) <= 0) {
            return;
        }
        position = change.sequence();
        ended = isEnd;
        unclaimed.add(change);
        if (unclaimed.size() > CHANGES_KEPT_MAX) {
            unclaimed.removeFirst();
        }
    }

    /** The first change not yet waited for, of one state or of any. */
    Optional<Change> peek(@Nullable JobState state) {
        return unclaimed.stream()
                .filter(change -> state == null || change.state() == state)
                .findFirst();
    }

    /** Gives a change out, and lets go of those before it that were of no interest. */
    void take(Change change) {
        unclaimed.removeIf(other -> other.sequence().compareTo(change.sequence()) <= 0);
    }

    boolean canBringMore() {
        return !ended;
    }

    void end() {
        ended = true;
        unclaimed.clear();
    }
}
