package dev.couchjobs.internal.job;

import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a job stands, as its row alone says. What else keeps a due job from running, such as a limit, a rate or a
 * pause, is decided when the job is claimed.
 */
public sealed interface Standing {
    /**
     * The job waits for other jobs, and is in no queue.
     *
     * @param byDependencies whether it waits for dependencies
     * @param bySequence whether it waits for the jobs before it in its sequence
     * @param byBatch whether it is the closing job of a batch that has not closed
     */
    record Blocked(boolean byDependencies, boolean bySequence, boolean byBatch) implements Standing {}

    /**
     * The job waits for its scheduled time. That may have come: the row changes when a claim finds the job.
     *
     * @param time the scheduled time, in seconds since the epoch
     * @param hasKey whether it has a limit key or a turn key: then a claim moves it before another claim takes it
     * @param isRanked whether it is in the order of priority and age once it is due; otherwise in that of the RFC
     * @param isRetry whether its last attempt has failed
     */
    record Later(long time, boolean hasKey, boolean isRanked, boolean isRetry) implements Standing {}

    /**
     * The job may run.
     *
     * @param limitKey the limit key of which it needs a slot first, or null
     * @param turnKey the key whose turn it waits for, or null
     * @param isRanked whether it is in the order of priority and age; otherwise in that of the RFC
     */
    record Due(@Nullable String limitKey, @Nullable String turnKey, boolean isRanked) implements Standing {
        private static final Due PLAIN = new Due(null, null, false);
    }

    /**
     * A claim holds the job.
     *
     * @param limitKey the limit key of which it has a slot, or null
     */
    record Running(@Nullable String limitKey) implements Standing {
        private static final Running PLAIN = new Running(null);
    }

    /** The job has ended. */
    record Ended(Outcome outcome) implements Standing {
        private static final Map<Outcome, Ended> ALL =
                Stream.of(Outcome.values()).collect(Collectors.toMap(outcome -> outcome, Ended::new));
    }

    /** {@return where a job stands} Most jobs have no keys, and cost no object. */
    static Standing of(JobRow row) {
        JobOptions options = row.options();
        JobKeys keys = options.keys();
        if (row.state() == JobState.RUNNING) {
            return keys.limit() == null ? Running.PLAIN : new Running(keys.limit());
        }
        if (row.state() == JobState.FINISHED) {
            return Objects.requireNonNull(Ended.ALL.get(row.outcome()));
        }
        boolean bySequence = keys.sequence() != null && keys.sequence().held();
        boolean byBatch = keys.batch() != null && keys.batch().held();
        if (options.blocked() || bySequence || byBatch) {
            return new Blocked(options.blocked(), bySequence, byBatch);
        }
        boolean hasKey = keys.limit() != null || keys.turn() != null;
        if (row.scheduledTime() != 0 && !options.due()) {
            ClaimEnd end = row.claimEnd();
            boolean isRetry = end != null && end.outcome() == Outcome.FAILED;
            return new Later(row.scheduledTime(), hasKey, hasKey || options.priority() != 0, isRetry);
        }
        return hasKey || options.priority() != 0
                ? new Due(keys.limit(), keys.turn(), options.priority() != 0 || keys.turn() != null)
                : Due.PLAIN;
    }

    /** {@return what follows from where the job stands} A standing that is added is a parameter more. */
    default <T> T match(
            Function<Blocked, T> blocked,
            Function<Later, T> later,
            Function<Due, T> due,
            Function<Running, T> running,
            Function<Ended, T> ended) {
        if (this instanceof Blocked each) {
            return blocked.apply(each);
        } else if (this instanceof Later each) {
            return later.apply(each);
        } else if (this instanceof Due each) {
            return due.apply(each);
        } else if (this instanceof Running each) {
            return running.apply(each);
        }
        return ended.apply((Ended) this);
    }

    /** {@return whether the job waits for dependencies} */
    default boolean waitsForDependencies() {
        return this instanceof Blocked each && each.byDependencies();
    }
}
