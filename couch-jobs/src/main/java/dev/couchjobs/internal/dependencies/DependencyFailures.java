package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/** Fails jobs that cannot run because of the end of a dependency. */
final class DependencyFailures {
    private final Keyspace keyspace;
    private final InstantSource clock;

    DependencyFailures(Keyspace keyspace, InstantSource clock) {
        this.keyspace = keyspace;
        this.clock = clock;
    }

    /** Deletes the links of a blocked job to its dependencies, and returns its row as a failed job. */
    CompletableFuture<JobRow> fail(Transaction tx, JobRef ref, JobRow waiting, ReleaseNotice notice) {
        return Dependents.awaitedBy(tx, keyspace, ref)
                .thenCompose(awaited -> awaited.unlinkAll(tx))
                .thenCompose(unlinked -> TypeRetention.whileEnding(tx, ref.keys()))
                .thenApply(stored -> {
                    DependencyState ofJob = waiting.options().dependencies();
                    DependencyState kept = stored.map(retention -> keptIfFailed(ofJob, retention))
                            .orElse(ofJob);
                    return unblocked(waiting).ended(ending(kept, error(notice)));
                });
    }

    /** {@return a dependency state with the retention of the job for a failure because of a dependency} */
    static DependencyState keptIfFailed(DependencyState dependencyState, Retention retention) {
        long seconds = retention
                .after(Outcome.FAILED)
                .map(time -> time.plusNanos(999_999_999).toSeconds())
                .orElse(DependencyState.FOR_EVER);
        return dependencyState.keptIfFailed(seconds, retention.isArchived());
    }

    /** {@return a blocked job without its dependencies} */
    static JobRow unblocked(JobRow waiting) {
        DependencyState dependencyState =
                waiting.options().dependencies().keptIfFailed(DependencyState.FOR_EVER, false);
        return waiting.withOptions(waiting.options().blocked(false).withDependencies(dependencyState));
    }

    /** Computes the retention from the row: the process that fails a job may not know its type. */
    private ClaimEnd ending(DependencyState dependencyState, String error) {
        Instant now = clock.instant();
        long removeAt = ClaimEnd.NEVER;
        if (dependencyState.keptIfFailed() == 0 && !dependencyState.archived()) {
            removeAt = ClaimEnd.AT_ONCE;
        } else if (dependencyState.keptIfFailed() != DependencyState.FOR_EVER) {
            removeAt = now.getEpochSecond() + 1 + dependencyState.keptIfFailed();
        }
        return new ClaimEnd(
                AttemptEnd.FAILED, false, now.toEpochMilli(), error, null, removeAt, dependencyState.archived());
    }

    private static String error(ReleaseNotice notice) {
        String end = switch (notice.cause()) {
            case SUCCEEDED -> "has succeeded";
            case FAILED -> "has failed";
            case CANCELLED -> "was cancelled";
            case EXPIRED -> "had not begun by its deadline";
            case REMOVED -> "was removed before it had succeeded";
        };
        return "Not run: " + notice.dependency().keys().typeName() + "/"
                + notice.dependency().id() + ", which it waited for, " + end + ".";
    }
}
