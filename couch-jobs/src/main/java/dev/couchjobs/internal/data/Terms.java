package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the creator of a job asked for beyond the RFC.
 *
 * @param priority higher first; 0 is the RFC's queue
 * @param due whether a job with a priority of its own has been moved to its place in the order of priorities, because its
 *     scheduled time has come
 * @param blocked whether the job waits for others, and so is in no queue
 * @param retry its own retry policy, or null for that of its type
 */
public record Terms(
        int priority,
        boolean due,
        boolean blocked,
        @Nullable RetryPolicy retry) {
    /** Nothing beyond the RFC. */
    public static final Terms NONE = new Terms(0, false, false, null);

    /** {@return the same, in no queue} */
    public Terms blockedBy(boolean others) {
        return new Terms(priority, due, others, retry);
    }

    /** {@return the same, with its scheduled time come or not} */
    Terms due(boolean due) {
        return this.due == due ? this : new Terms(priority, due, blocked, retry);
    }

    @Nullable Tuple encode() {
        if (equals(NONE)) {
            return null;
        }
        Tuple terms = Tuple.from(priority, due, blocked);
        return retry == null ? terms : terms.add(encode(retry));
    }

    static Terms decode(@Nullable Tuple terms) {
        return terms == null
                ? NONE
                : new Terms(
                        Math.toIntExact(terms.getLong(0)),
                        terms.getBoolean(1),
                        terms.getBoolean(2),
                        terms.size() > 3 ? decodeRetry(terms.getNestedTuple(3)) : null);
    }

    private static Tuple encode(RetryPolicy policy) {
        return Tuple.from(
                policy.maxAttempts(),
                policy.firstPause().toMillis(),
                policy.factor(),
                policy.longestPause().toMillis(),
                policy.jitter());
    }

    private static RetryPolicy decodeRetry(Tuple policy) {
        return new RetryPolicy(
                Math.toIntExact(policy.getLong(0)),
                Duration.ofMillis(policy.getLong(1)),
                policy.getDouble(2),
                Duration.ofMillis(policy.getLong(3)),
                policy.getDouble(4));
    }
}
