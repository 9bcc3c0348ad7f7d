package dev.couchjobs.internal.health;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a check looks at, and what it tolerates.
 *
 * @param timeout for how long it waits for the database
 * @param dueAtMost for how long a job may be due
 * @param quarantinedAtMost how many rows may be in quarantine
 * @param types the names of the types, or empty for all
 */
public record HealthSettings(
        Duration timeout, Duration dueAtMost, int quarantinedAtMost, Optional<List<String>> types) {
    /** Those of a check on which nothing was set. */
    public static final HealthSettings DEFAULT =
            new HealthSettings(Duration.ofSeconds(3), Duration.ofMinutes(5), 0, Optional.empty());

    public HealthSettings withTimeout(Duration newTimeout) {
        return new HealthSettings(newTimeout, dueAtMost, quarantinedAtMost, types);
    }

    public HealthSettings withDueAtMost(Duration limit) {
        return new HealthSettings(timeout, limit, quarantinedAtMost, types);
    }

    public HealthSettings withQuarantinedAtMost(int limit) {
        return new HealthSettings(timeout, dueAtMost, limit, types);
    }

    public HealthSettings withTypes(Optional<List<String>> names) {
        return new HealthSettings(timeout, dueAtMost, quarantinedAtMost, names);
    }
}
