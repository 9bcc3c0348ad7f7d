package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.internal.data.ClaimEnd;
import dev.couchjobs.internal.data.DependencyState;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Keyspace;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/** What jobs become that cannot run because of others. */
final class DependencyFailures {
    private final Keyspace keyspace;
    private final InstantSource clock;

    DependencyFailures(Keyspace keyspace, InstantSource clock) {
        this.keyspace = keyspace;
        this.clock = clock;
    }

    /** {@return a waiting job that has failed because of another, and waits for none any more} */
    CompletableFuture<JobRow> of(Transaction tx, JobRef ref, JobRow waiting, ReleaseNotice notice) {
        ClaimEnd claimEnd = ending(waiting.options().dependencies(), error(notice));
        return Dependents.awaitedBy(tx, keyspace, ref)
                .thenCompose(awaited -> awaited.unlinkAll(tx))
                .thenApply(done -> free(waiting).ended(claimEnd));
    }

    /** {@return a waiting job that waits for no other any more} */
    static JobRow free(JobRow waiting) {
        DependencyState dependencyState =
                waiting.options().dependencies().keptIfFailed(DependencyState.FOR_EVER, false);
        return waiting.on(waiting.options().blockedBy(false).withDependencies(dependencyState));
    }

    /**
     * The process that fails a job need not know its type, so the job is kept for as long as its creator's type said.
     */
    private ClaimEnd ending(DependencyState dependencyState, String error) {
        long removeAt = ClaimEnd.NEVER;
        if (dependencyState.keptIfFailed() == 0 && !dependencyState.archived()) {
            removeAt = ClaimEnd.AT_ONCE;
        } else if (dependencyState.keptIfFailed() != DependencyState.FOR_EVER) {
            removeAt = clock.instant().getEpochSecond() + 1 + dependencyState.keptIfFailed();
        }
        return new ClaimEnd(AttemptEnd.FAILED, clock.millis(), error, null, removeAt, dependencyState.archived());
    }

    private static String error(ReleaseNotice notice) {
        String what = switch (notice.cause()) {
            case SUCCEEDED -> "has succeeded";
            case FAILED -> "has failed";
            case CANCELLED -> "was cancelled";
            case REMOVED -> "was removed before it had succeeded";
        };
        return "Not run: " + notice.dependency().keys().typeName() + "/"
                + notice.dependency().id() + ", which it waited for, " + what + ".";
    }
}
