package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which other job makes a new job a duplicate ({@link NewJob#unique}), and what then becomes of it. Immutable.
 *
 * <pre>{@code
 * NewJob.of(INDEX, user).unique(Unique.by("user-7"))                                    // one at a time
 * NewJob.of(INDEX, user).unique(Unique.by("user-7").within(Duration.ofMinutes(5)))      // throttle
 * NewJob.of(INDEX, user).unique(Unique.by("user-7").replacing()).at(inTenSeconds)       // debounce
 * }</pre>
 *
 * <p>Jobs with different keys, and jobs of other types, are never duplicates. One row decides, in the transaction that
 * adds the job: of several callers that add duplicates at the same time, one adds a job (rfc/022).
 */
public final class Unique {
    private final @Nullable String key;
    private final boolean whileKept;
    private final @Nullable Duration period;
    private final boolean replacing;

    private Unique(@Nullable String key, boolean whileKept, @Nullable Duration period, boolean replacing) {
        this.key = key;
        this.whileKept = whileKept;
        this.period = period;
        this.replacing = replacing;
    }

    /**
     * A job is a duplicate of one with the same key that is pending or running.
     *
     * @param key the key, 1 to 500 bytes in UTF-8
     * @return this rule
     * @throws IllegalArgumentException if the key is empty, too long, or no well-formed text
     */
    public static Unique by(String key) {
        return new Unique(Name.UNIQUE_KEY.checked(key), false, null, false);
    }

    /**
     * A job is a duplicate of one with the same data, as JSON, that is pending or running.
     *
     * @return this rule
     */
    public static Unique byData() {
        return new Unique(null, false, null, false);
    }

    /**
     * This rule, also for jobs that were added less than a period ago, whatever their state, while they are
     * {@linkplain Retention kept}.
     *
     * @param time the period, by the clocks of the processes that add jobs; more than zero, at most 36,500 days. A job
     *     that a clock more than a minute ahead has added does not count
     * @return the rule
     * @throws IllegalArgumentException if the period is anything else
     */
    public Unique within(Duration time) {
        return new Unique(key, whileKept, Durations.positive("time", time), replacing);
    }

    /**
     * This rule, also for jobs that have ended, while they are {@linkplain Retention kept}.
     *
     * @return the rule
     */
    public Unique whileKept() {
        return new Unique(key, true, period, replacing);
    }

    /**
     * This rule, by which the other job gets the data, the scheduled time and the options of the new one. If it is
     * running, it runs once more: its next run has the data, the scheduled time and the priority of the last duplicate
     * that was added, and data that its processor writes until then is not stored. Otherwise the other job stays as it
     * is.
     *
     * @return the rule
     */
    public Unique replacing() {
        return new Unique(key, whileKept, period, true);
    }

    /** {@return the key, or empty if the data is the key} */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    /** {@return whether jobs that have ended count} */
    public boolean isWhileKept() {
        return whileKept;
    }

    /** {@return the period in which jobs in any state count} */
    public Optional<Duration> period() {
        return Optional.ofNullable(period);
    }

    /** {@return whether the other job gets the data of the new one} */
    public boolean isReplacing() {
        return replacing;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Unique that
                && Objects.equals(key, that.key)
                && whileKept == that.whileKept
                && Objects.equals(period, that.period)
                && replacing == that.replacing;
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, whileKept, period, replacing);
    }

    @Override
    public String toString() {
        return "Unique[" + (key == null ? "by data" : key) + "]";
    }
}
