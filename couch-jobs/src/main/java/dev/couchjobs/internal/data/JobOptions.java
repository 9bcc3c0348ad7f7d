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
 * @param since when a job with a priority of its own was enqueued, in milliseconds since the epoch by the clock of
 *     the process that did that; the oldest comes first within a priority
 * @param due whether a job with a priority of its own has been moved to its place in the order of priorities, because
 *     its scheduled time has come
 * @param blocked whether the job waits for others, and so is in no queue
 * @param retry its own retry policy, or null for that of its type
 * @param dependencies what ties it to other jobs
 * @param edits how often the job was changed without being claimed, so that no change leaves its row as it was some
 *     time before
 */
public record JobOptions(
        int priority,
        long since,
        boolean due,
        boolean blocked,
        @Nullable RetryPolicy retry,
        DependencyState dependencies,
        int edits) {
    /** Nothing beyond the RFC. */
    public static final JobOptions NONE = new JobOptions(0, 0, false, false, null, DependencyState.NONE, 0);

    private static final int RETRY = 4;
    private static final int DEPENDENCIES = 5;
    private static final int EDITS = 6;

    /** {@return what a creator asks for} */
    public static JobOptions withOptions(int priority, long now, @Nullable RetryPolicy retry) {
        return new JobOptions(priority, priority == 0 ? 0 : now, false, false, retry, DependencyState.NONE, 0);
    }

    /** {@return the same, in no queue} */
    public JobOptions blockedBy(boolean others) {
        return blocked == others ? this : new JobOptions(priority, since, due, others, retry, dependencies, edits);
    }

    /** {@return the same, tied otherwise} */
    public JobOptions withDependencies(DependencyState dependencies) {
        return new JobOptions(priority, since, due, blocked, retry, dependencies, edits);
    }

    /** {@return the same, for a job that was changed without being claimed} */
    JobOptions edited() {
        return new JobOptions(priority, since, due, blocked, retry, dependencies, edits + 1);
    }

    /** {@return the same, with its scheduled time come or not} */
    JobOptions due(boolean due) {
        return this.due == due ? this : new JobOptions(priority, since, due, blocked, retry, dependencies, edits);
    }

    /** {@return what is asked for by those, for a job that stands where it stands} */
    public JobOptions withOptions(JobOptions others) {
        return new JobOptions(others.priority, others.since, due, blocked, others.retry, dependencies, edits);
    }

    /** {@return the same, with the priority of those; a job that has it already is as old as it was} */
    public JobOptions prioritised(JobOptions others) {
        return priority == others.priority
                ? this
                : new JobOptions(others.priority, others.since, due, blocked, retry, dependencies, edits);
    }

    /** {@return the same, for a job that stands where it stood among those of its priority} */
    public JobOptions withEnqueueTimeOf(JobOptions earlier) {
        return priority == earlier.priority
                ? new JobOptions(priority, earlier.since, due, blocked, retry, dependencies, edits)
                : this;
    }

    /** {@return whether these ask for the same as those; where a job stands is not asked for} */
    public boolean hasSameOptionsAs(JobOptions others) {
        return priority == others.priority && Objects.equals(retry, others.retry);
    }

    @Nullable Tuple encode() {
        if (equals(NONE)) {
            return null;
        }
        Tuple options = Tuple.from(priority, since, due, blocked);
        Tuple tied = dependencies.encode();
        if (tied == null && edits == 0) {
            return retry == null ? options : options.add(encode(retry));
        }
        Tuple more = options.addObject(retry == null ? null : encode(retry)).addObject(tied);
        return edits == 0 ? more : more.add(edits);
    }

    static JobOptions decode(@Nullable Tuple terms) {
        return terms == null
                ? NONE
                : new JobOptions(
                        Math.toIntExact(terms.getLong(0)),
                        terms.getLong(1),
                        terms.getBoolean(2),
                        terms.getBoolean(3),
                        decodeRetry(nested(terms, RETRY)),
                        DependencyState.decode(nested(terms, DEPENDENCIES)),
                        terms.size() > EDITS ? Math.toIntExact(terms.getLong(EDITS)) : 0);
    }

    private static Tuple encode(RetryPolicy policy) {
        return Tuple.from(
                policy.maxAttempts(),
                policy.initialDelay().toMillis(),
                policy.factor(),
                policy.maxDelay().toMillis(),
                policy.jitter());
    }

    private static @Nullable Tuple nested(Tuple options, int index) {
        return options.size() > index ? options.getNestedTuple(index) : null;
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
