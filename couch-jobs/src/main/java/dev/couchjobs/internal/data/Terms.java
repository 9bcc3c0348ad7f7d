package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the creator of a job asked for beyond the RFC.
 *
 * @param priority higher first; 0 is the RFC's queue
 * @param since when a job with a priority of its own was enqueued anew, in milliseconds since the epoch by the clock of
 *     the process that did that; the oldest comes first within a priority
 * @param due whether a job with a priority of its own has been moved to its place in the order of priorities, because
 *     its scheduled time has come
 * @param blocked whether the job waits for others, and so is in no queue
 * @param retry its own retry policy, or null for that of its type
 * @param ties what ties it to other jobs
 * @param edits how often the job was changed without being claimed, so that no change leaves its row as it was some
 *     time before
 */
public record Terms(
        int priority,
        long since,
        boolean due,
        boolean blocked,
        @Nullable RetryPolicy retry,
        Ties ties,
        int edits) {
    /** Nothing beyond the RFC. */
    public static final Terms NONE = new Terms(0, 0, false, false, null, Ties.NONE, 0);

    private static final int RETRY = 4;
    private static final int TIES = 5;
    private static final int EDITS = 6;

    /** {@return what a creator asks for} */
    public static Terms asking(int priority, long now, @Nullable RetryPolicy retry) {
        return new Terms(priority, priority == 0 ? 0 : now, false, false, retry, Ties.NONE, 0);
    }

    /** {@return the same, in no queue} */
    public Terms blockedBy(boolean others) {
        return blocked == others ? this : new Terms(priority, since, due, others, retry, ties, edits);
    }

    /** {@return the same, tied otherwise} */
    public Terms tied(Ties ties) {
        return new Terms(priority, since, due, blocked, retry, ties, edits);
    }

    /** {@return the same, for a job that was changed without being claimed} */
    Terms edited() {
        return new Terms(priority, since, due, blocked, retry, ties, edits + 1);
    }

    /** {@return the same, with its scheduled time come or not} */
    Terms due(boolean due) {
        return this.due == due ? this : new Terms(priority, since, due, blocked, retry, ties, edits);
    }

    /** {@return what is asked for by those, for a job that stands where it stands} */
    public Terms asking(Terms others) {
        return new Terms(others.priority, others.since, due, blocked, others.retry, ties, edits);
    }

    /** {@return the same, with the priority of those; a job that has it already is as old as it was} */
    public Terms prioritised(Terms others) {
        return priority == others.priority
                ? this
                : new Terms(others.priority, others.since, due, blocked, retry, ties, edits);
    }

    /** {@return the same, for a job that stands where it stood among those of its priority} */
    public Terms sinceThat(Terms earlier) {
        return priority == earlier.priority
                ? new Terms(priority, earlier.since, due, blocked, retry, ties, edits)
                : this;
    }

    /** {@return whether these ask for the same as those; where a job stands is not asked for} */
    public boolean askTheSameAs(Terms others) {
        return priority == others.priority && Objects.equals(retry, others.retry);
    }

    @Nullable Tuple encode() {
        if (equals(NONE)) {
            return null;
        }
        Tuple terms = Tuple.from(priority, since, due, blocked);
        Tuple tied = ties.encode();
        if (tied == null && edits == 0) {
            return retry == null ? terms : terms.add(encode(retry));
        }
        Tuple more = terms.addObject(retry == null ? null : encode(retry)).addObject(tied);
        return edits == 0 ? more : more.add(edits);
    }

    static Terms decode(@Nullable Tuple terms) {
        return terms == null
                ? NONE
                : new Terms(
                        Math.toIntExact(terms.getLong(0)),
                        terms.getLong(1),
                        terms.getBoolean(2),
                        terms.getBoolean(3),
                        decodeRetry(nested(terms, RETRY)),
                        Ties.decode(nested(terms, TIES)),
                        terms.size() > EDITS ? Math.toIntExact(terms.getLong(EDITS)) : 0);
    }

    private static Tuple encode(RetryPolicy policy) {
        return Tuple.from(
                policy.maxAttempts(),
                policy.firstPause().toMillis(),
                policy.factor(),
                policy.longestPause().toMillis(),
                policy.jitter());
    }

    private static @Nullable Tuple nested(Tuple terms, int index) {
        return terms.size() > index ? terms.getNestedTuple(index) : null;
    }

    private static @Nullable RetryPolicy decodeRetry(@Nullable Tuple policy) {
        return policy == null
                ? null
                : new RetryPolicy(
                        Math.toIntExact(policy.getLong(0)),
                        Duration.ofMillis(policy.getLong(1)),
                        policy.getDouble(2),
                        Duration.ofMillis(policy.getLong(3)),
                        policy.getDouble(4));
    }
}
