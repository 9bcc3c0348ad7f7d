package dev.couchjobs;

import dev.couchjobs.internal.health.HealthReader;
import dev.couchjobs.internal.health.HealthSettings;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Looks whether an instance can work ({@link CouchJobs#health}), for a health endpoint or a probe:
 *
 * <pre>{@code
 * Health health = jobs.health().check().join();
 * }</pre>
 *
 * <p>A check is one transaction: it reads about four rows or ranges for each type, and one row for each due job at the
 * head of a queue. It also clears a key that no row has, which the database has to commit, so that a database whose
 * disk is full is not reported as up. Ask no more often than necessary if there are thousands of types, or name the
 * {@link #types} that matter. Immutable, and safe for use by several threads.
 */
public final class HealthCheck {
    /** How many types a check looks at. */
    public static final int TYPES_MAX = 1_000;

    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    private final HealthReader reader;
    private final HealthSettings settings;

    HealthCheck(HealthReader reader) {
        this(reader, HealthSettings.DEFAULT);
    }

    private HealthCheck(HealthReader reader, HealthSettings settings) {
        this.reader = reader;
        this.settings = settings;
    }

    /**
     * For how long a check waits for the database, by default three seconds. A database that has not answered by then
     * is reported as {@link HealthStatus#DOWN}.
     *
     * @param timeout from a millisecond to a minute
     * @return a check with this timeout
     * @throws IllegalArgumentException if it is anything else
     */
    public HealthCheck timeout(Duration timeout) {
        return new HealthCheck(
                reader, settings.withTimeout(Durations.between("timeout", timeout, Duration.ofMillis(1), TIMEOUT_MAX)));
    }

    /**
     * For how long a job may be due before the status is {@link HealthStatus#DEGRADED}, by default five minutes. Jobs
     * of types that are {@linkplain JobTypes#pause paused} do not count.
     *
     * @param limit not negative
     * @return a check with this limit
     * @throws IllegalArgumentException if it is negative
     */
    public HealthCheck dueAtMost(Duration limit) {
        return new HealthCheck(reader, settings.withDueAtMost(Durations.limit("dueAtMost", limit)));
    }

    /**
     * How many rows may be in quarantine before the status is {@link HealthStatus#DEGRADED}, by default none.
     *
     * @param limit from 0 to {@value Health#QUARANTINED_MAX}, which tolerates any number
     * @return a check with this limit
     * @throws IllegalArgumentException if it is anything else
     */
    public HealthCheck quarantinedAtMost(int limit) {
        if (limit < 0 || limit > Health.QUARANTINED_MAX) {
            throw new IllegalArgumentException(
                    "The limit is from 0 to " + Health.QUARANTINED_MAX + "; this is " + limit + ".");
        }
        return new HealthCheck(reader, settings.withQuarantinedAtMost(limit));
    }

    /**
     * Which types a check looks at, by default all.
     *
     * @param types at most {@value #TYPES_MAX}
     * @return a check of these types
     * @throws IllegalArgumentException if they are more
     */
    public HealthCheck types(Collection<? extends JobType<?, ?>> types) {
        List<String> names = types.stream().map(JobType::name).distinct().toList();
        if (names.size() > TYPES_MAX) {
            throw new IllegalArgumentException("A check looks at " + TYPES_MAX + " types at most; these are "
                    + names.size() + ": name those that matter most, or make several checks.");
        }
        return new HealthCheck(reader, settings.withTypes(Optional.of(names)));
    }

    /**
     * Makes the check. A database that cannot be reached is a result, not an error.
     *
     * @return the health, within the timeout; fails only with {@link CouchJobsClosedException}
     */
    public CompletableFuture<Health> check() {
        return reader.check(settings);
    }
}
