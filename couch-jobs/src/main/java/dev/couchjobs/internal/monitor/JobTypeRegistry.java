package dev.couchjobs.internal.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobType;
import dev.couchjobs.ReleaseReason;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The job types whose retry policies and retention this process applies to the jobs of silent processors, by name: the
 * type of the workers of that name, or else the type that was registered last.
 */
final class JobTypeRegistry {
    /** @param workers how many workers use the type now */
    private record Registration(JobType<?, ?> type, int workers) {}

    @GuardedBy("this") private final Map<String, Registration> byName = new HashMap<>();

    /** Registers a job type, unless workers use another of the same name. */
    synchronized void register(JobType<?, ?> type) {
        byName.merge(
                type.name(),
                new Registration(type, 0),
                (registered, added) -> registered.workers() > 0 ? registered : added);
    }

    /**
     * Registers the job type of a worker that starts.
     *
     * @throws IllegalArgumentException if another worker has a different retry policy, retention or bound of releases
     */
    synchronized void addWorker(JobType<?, ?> type) {
        Registration registered = byName.get(type.name());
        int workers = registered == null ? 0 : registered.workers();
        if (registered != null && workers > 0 && !areSame(registered.type(), type)) {
            throw new IllegalArgumentException("A worker of this CouchJobs runs jobs of type " + type.name() + " by "
                    + describe(registered.type()) + "; another cannot run them by " + describe(type)
                    + ". Give both the same job type, or close the first worker before.");
        }
        byName.put(type.name(), new Registration(type, workers + 1));
    }

    /** Unregisters a worker, and returns whether no worker uses the type now. */
    synchronized boolean removeWorker(JobType<?, ?> type) {
        Registration remaining = byName.computeIfPresent(
                type.name(), (name, registered) -> new Registration(registered.type(), registered.workers() - 1));
        return remaining == null || remaining.workers() == 0;
    }

    synchronized boolean hasWorkers(String typeName) {
        Registration registered = byName.get(typeName);
        return registered != null && registered.workers() > 0;
    }

    synchronized JobType<?, ?> of(String typeName) {
        return Objects.requireNonNull(byName.get(typeName), typeName).type();
    }

    private static boolean areSame(JobType<?, ?> first, JobType<?, ?> second) {
        return first.retry().equals(second.retry())
                && first.retention().equals(second.retention())
                && releases(first).equals(releases(second));
    }

    private static String describe(JobType<?, ?> type) {
        return type.retry() + ", " + type.retention() + " and at most these releases: " + releases(type);
    }

    private static Map<ReleaseReason, Integer> releases(JobType<?, ?> type) {
        Map<ReleaseReason, Integer> bounds = new EnumMap<>(ReleaseReason.class);
        for (ReleaseReason reason : ReleaseReason.values()) {
            bounds.put(reason, type.maxReleases(reason));
        }
        return bounds;
    }
}
