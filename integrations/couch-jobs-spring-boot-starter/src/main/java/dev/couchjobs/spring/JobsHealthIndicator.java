package dev.couchjobs.spring;

import dev.couchjobs.Health;
import dev.couchjobs.HealthCheck;
import dev.couchjobs.HealthStatus;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** Reports what a health check finds. A degraded application still serves requests: the endpoint replies with 200. */
final class JobsHealthIndicator extends AbstractHealthIndicator {
    private final HealthCheck check;

    JobsHealthIndicator(HealthCheck check) {
        super("The health of the jobs could not be checked");
        this.check = check;
    }

    @Override
    protected void doHealthCheck(org.springframework.boot.health.contributor.Health.Builder health) {
        Health found = check.check().join();
        health.status(status(found.status()))
                .withDetail("reasons", found.reasons())
                .withDetail("typesInUse", found.typesInUse())
                .withDetail("typesDue", found.typesDue())
                .withDetail("liveWorkers", found.liveWorkers())
                .withDetail("quarantined", found.quarantined());
        found.readVersionTook().ifPresent(took -> health.withDetail("readVersionMillis", took.toMillis()));
    }

    private static Status status(HealthStatus status) {
        return switch (status) {
            case UP -> Status.UP;
            case DEGRADED -> new Status("DEGRADED");
            case DOWN -> Status.DOWN;
        };
    }
}
