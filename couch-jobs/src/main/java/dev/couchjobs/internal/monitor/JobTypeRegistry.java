package dev.couchjobs.internal.monitor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobType;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The job type that this process applies to jobs of a name without a live processor: the type of the workers that run
 * them, or else the one that was registered last.
 */
final class JobTypeRegistry {
    /** @param workers how many workers use the type now */
    private record Registration(JobType<?, ?> type, int workers) {}

    @GuardedBy("this") private final Map<String, Registration> byName = new HashMap<>();

    /** Registers a job type, unless workers use another of the same name. */
    synchronized void given(JobType<?, ?> type) {
        byName.merge(type.name(), new Registration(type, 0), (known, given) -> known.workers() > 0 ? known : given);
    }

    /**
     * Registers the job type of a worker that starts.
     *
     * @throws IllegalArgumentException if another worker has a different retry policy or retention
     */
    synchronized void begin(JobType<?, ?> type) {
        Registration known = byName.get(type.name());
        int workers = known == null ? 0 : known.workers();
        if (known != null && workers > 0 && !areSame(known.type(), type)) {
            throw new IllegalArgumentException("A worker of this CouchJobs runs jobs of type " + type.name() + " by "
                    + told(known.type()) + "; another cannot run them by " + told(type)
                    + ". Give both the same job type, or close the first worker before.");
        }
        byName.put(type.name(), new Registration(type, workers + 1));
    }

    /** {@return whether no worker uses the type after one more has ended} */
    synchronized boolean end(JobType<?, ?> type) {
        Registration left = byName.computeIfPresent(
                type.name(), (name, known) -> new Registration(known.type(), known.workers() - 1));
        return left == null || left.workers() == 0;
    }

    synchronized JobType<?, ?> of(String typeName) {
        return Objects.requireNonNull(byName.get(typeName), typeName).type();
    }

    private static boolean areSame(JobType<?, ?> one, JobType<?, ?> other) {
        return one.retry().equals(other.retry()) && one.retention().equals(other.retention());
    }

    private static String told(JobType<?, ?> type) {
        return type.retry() + " and " + type.retention();
    }
}
