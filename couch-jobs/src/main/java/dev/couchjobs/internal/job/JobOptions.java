package dev.couchjobs.internal.job;

import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of a job's creator beyond the RFC, and the state that follows from them.
 *
 * @param priority higher first; 0 is the RFC's queue
 * @param since when a job in the ranked queue was enqueued, in milliseconds since the epoch by the clock of the process
 *     that enqueued it; the oldest job comes first within a priority
 * @param due whether a job was moved to the due part of the ranked queue, because its scheduled time has come
 * @param blocked whether the job waits for a dependency
 * @param retry its own retry policy, or null for that of its type
 * @param dependencies its dependency state
 * @param edits how often the job was changed without being claimed, so that no two rows of the job are equal
 * @param firing the firing of a schedule that made the job, or null
 * @param keys its keys
 * @param descent how many jobs one after the other, each added by the handler of the one before, led to the job; the
 *     row has it behind all else
 */
public record JobOptions(
        int priority,
        long since,
        boolean due,
        boolean blocked,
        @Nullable RetryPolicy retry,
        DependencyState dependencies,
        int edits,
        @Nullable Firing firing,
        JobKeys keys,
        int descent) {
    /** The options of a job without options beyond the RFC. */
    public static final JobOptions NONE =
            new JobOptions(0, 0, false, false, null, DependencyState.NONE, 0, null, JobKeys.NONE, 0);

    /** {@return the options of a creator} */
    public static JobOptions withOptions(int priority, long now, @Nullable RetryPolicy retry, JobKeys keys) {
        long since = priority == 0 && !keys.needAge() ? 0 : now;
        return new JobOptions(priority, since, false, false, retry, DependencyState.NONE, 0, null, keys, 0);
    }

    /** {@return a copy for a job of a generation} */
    public JobOptions descended(int newDescent) {
        return descent == newDescent
                ? this
                : new JobOptions(priority, since, due, blocked, retry, dependencies, edits, firing, keys, newDescent);
    }

    private JobOptions with(JobKeys newKeys) {
        return new JobOptions(priority, since, due, blocked, retry, dependencies, edits, firing, newKeys, descent);
    }

    /** {@return the limit key of the job, or null} */
    public @Nullable String limitKey() {
        return keys.limit();
    }

    /** {@return the turn key of the job, or null} */
    public @Nullable String turnKey() {
        return keys.turn();
    }

    /** {@return the unique key of the job, or null} */
    public @Nullable UniqueKey unique() {
        return keys.unique();
    }

    /** {@return whether the deadline of a job that has not begun is over} */
    public boolean isLate(long now) {
        return keys.startBefore() != JobKeys.NO_DEADLINE && keys.startBefore() <= now;
    }

    /** {@return a copy for a job that has begun: its deadline is met} */
    public JobOptions begun() {
        return keys.startBefore() == JobKeys.NO_DEADLINE ? this : with(keys.withoutDeadline());
    }

    /** {@return a copy of these options of a running job in the batch of an object that is added, if it has one} */
    public JobOptions inBatchOf(JobOptions source) {
        BatchPlace place = source.keys.batch();
        return place == null ? this : in(place);
    }

    /** {@return a copy for a closing job} */
    public JobOptions in(BatchPlace place) {
        return with(keys.in(place));
    }

    /** {@return a copy for a closing job whose batch has closed} */
    JobOptions released() {
        return with(keys.released());
    }

    /** {@return a copy for a job that waits for those before it in its sequence, or no longer does} */
    JobOptions held(boolean held) {
        return with(keys.held(held));
    }

    /** {@return a copy in the place of an earlier object, if that is in the same sequence} */
    public JobOptions inPlaceOf(JobOptions earlier) {
        return with(keys.inPlaceOf(earlier.keys));
    }

    /** {@return a copy for a job that is blocked or not} */
    public JobOptions blocked(boolean newBlocked) {
        return blocked == newBlocked
                ? this
                : new JobOptions(priority, since, due, newBlocked, retry, dependencies, edits, firing, keys, descent);
    }

    /** {@return a copy with another dependency state} */
    public JobOptions withDependencies(DependencyState dependencies) {
        return new JobOptions(priority, since, due, blocked, retry, dependencies, edits, firing, keys, descent);
    }

    /** {@return a copy for a job that a firing of a schedule makes} */
    public JobOptions firedBy(@Nullable Firing newFiring) {
        return new JobOptions(priority, since, due, blocked, retry, dependencies, edits, newFiring, keys, descent);
    }

    /** {@return a copy for a job that is claimed} */
    JobOptions claimed() {
        return firing == null || !firing.addsAtClaim()
                ? this
                : firedBy(new Firing(firing.schedule(), firing.time(), Firing.Next.ADDED));
    }

    /** {@return a copy for a job that was changed without being claimed} */
    JobOptions edited() {
        return new JobOptions(priority, since, due, blocked, retry, dependencies, edits + 1, firing, keys, descent);
    }

    /** {@return a copy for a job whose scheduled time has come or not} */
    JobOptions due(boolean due) {
        return this.due == due
                ? this
                : new JobOptions(priority, since, due, blocked, retry, dependencies, edits, firing, keys, descent);
    }

    /**
     * {@return a copy with the creator's options of another object, and the state of this one} A closing job that waits
     * goes on waiting.
     */
    public JobOptions withOptions(JobOptions source) {
        BatchPlace place = keys.batch();
        JobKeys newKeys =
                place != null && place.held() && source.keys.batch() == null ? source.keys.in(place) : source.keys;
        return new JobOptions(
                source.priority,
                source.since,
                due,
                blocked,
                source.retry,
                dependencies,
                edits,
                firing,
                newKeys,
                source.descent);
    }

    /** {@return a copy with the priority of another object; a job that keeps its priority keeps its age} */
    public JobOptions prioritised(JobOptions source) {
        if (priority == source.priority) {
            return this;
        }
        long newSince = source.since == 0 && keys.needAge() ? since : source.since;
        return new JobOptions(
                source.priority, newSince, due, blocked, retry, dependencies, edits, firing, keys, descent);
    }

    /** {@return a copy with another priority; a job that has an age keeps it} */
    public JobOptions reprioritised(int newPriority, long now) {
        if (priority == newPriority) {
            return this;
        }
        long age = since == 0 ? now : since;
        long newSince = newPriority == 0 && !keys.needAge() ? 0 : age;
        return new JobOptions(newPriority, newSince, due, blocked, retry, dependencies, edits, firing, keys, descent);
    }

    /** {@return a copy with the age of an earlier object, if both have the same priority, limit key and turn key} */
    public JobOptions withEnqueueTimeOf(JobOptions earlier) {
        return priority == earlier.priority
                        && Objects.equals(limitKey(), earlier.limitKey())
                        && Objects.equals(turnKey(), earlier.turnKey())
                ? new JobOptions(
                        priority, earlier.since, due, blocked, retry, dependencies, edits, firing, keys, descent)
                : this;
    }

    /** {@return whether the creator's options are the same; the state may differ} */
    public boolean hasSameOptionsAs(JobOptions source) {
        return priority == source.priority && Objects.equals(retry, source.retry) && keys.areSameAs(source.keys);
    }

    /** {@return a copy with another unique key} */
    public JobOptions unique(@Nullable UniqueKey newUnique) {
        return Objects.equals(unique(), newUnique) ? this : with(keys.withUnique(newUnique));
    }

    /** {@return a copy for a job that takes its unique key again, if it has one} */
    public JobOptions ownedSince(long now) {
        UniqueKey unique = keys.unique();
        return unique == null ? this : unique(new UniqueKey(unique.text(), unique.isDigest(), now));
    }

    /** Adds these as a nested tuple, or as null. {@return whether there is one} */
    boolean encode(TupleWriter row) {
        if (descended(0).equals(NONE)) {
            row.addNull();
            return false;
        }
        row.beginNested().add(priority).add(since).add(due).add(blocked);
        boolean hasFiringFields = firing != null || !keys.equals(JobKeys.NONE);
        boolean hasEdits = edits != 0 || hasFiringFields;
        boolean hasDependencyState = hasEdits || !dependencies.equals(DependencyState.NONE);
        if (retry != null) {
            encode(retry, row);
        } else if (hasDependencyState) {
            row.addNull();
        }
        if (hasDependencyState) {
            dependencies.encode(row);
        }
        if (hasEdits) {
            row.add(edits);
        }
        if (hasFiringFields) {
            Firing.encode(row, firing);
        }
        keys.encode(row);
        row.endNested(false);
        return true;
    }

    static JobOptions decode(TupleReader row) {
        if (row.skipNull()) {
            return NONE;
        }
        row.beginNested();
        JobOptions options = new JobOptions(
                row.readInt(),
                row.readLong(),
                row.readBoolean(),
                row.readBoolean(),
                decodeRetry(row),
                DependencyState.decode(row),
                row.hasNext() ? row.readInt() : 0,
                row.hasNext() ? Firing.decode(row) : null,
                JobKeys.decode(row),
                0);
        row.endNested();
        return options;
    }

    private static void encode(RetryPolicy policy, TupleWriter row) {
        row.beginNested()
                .add(policy.maxAttempts())
                .add(policy.initialDelay().toMillis())
                .add(policy.factor())
                .add(policy.maxDelay().toMillis())
                .add(policy.jitter())
                .endNested(true);
    }

    private static @Nullable RetryPolicy decodeRetry(TupleReader row) {
        if (row.skipNull()) {
            return null;
        }
        row.beginNested();
        RetryPolicy policy = new RetryPolicy(
                row.readInt(),
                Duration.ofMillis(row.readLong()),
                row.readDouble(),
                Duration.ofMillis(row.readLong()),
                row.readDouble());
        row.endNested();
        return policy;
    }
}
