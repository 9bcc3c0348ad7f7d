package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.internal.data.Dependents;
import dev.couchjobs.internal.data.Ending;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.Release;
import dev.couchjobs.internal.data.Ties;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/** What jobs become that cannot run because of others. */
final class Failures {
    private final Keyspace keyspace;
    private final InstantSource clock;

    Failures(Keyspace keyspace, InstantSource clock) {
        this.keyspace = keyspace;
        this.clock = clock;
    }

    /** {@return a waiting job that has failed because of another, and waits for none any more} */
    CompletableFuture<JobRow> of(Transaction tx, JobRef ref, JobRow waiting, Release release) {
        Ending ending = ending(waiting.terms().ties(), error(release));
        return Dependents.awaitedBy(tx, keyspace, ref)
                .thenCompose(awaited -> awaited.unlinkAll(tx))
                .thenApply(done -> free(waiting).ended(waiting.payload(), ending));
    }

    /** {@return a waiting job that waits for no other any more} */
    static JobRow free(JobRow waiting) {
        Ties ties = waiting.terms().ties().keptIfFailed(Ties.FOR_EVER, false);
        return waiting.on(waiting.terms().blockedBy(false).tied(ties));
    }

    /**
     * The process that fails a job need not know its type, so the job is kept for as long as its creator's type said.
     */
    private Ending ending(Ties ties, String error) {
        long removeAt = Ending.NEVER;
        if (ties.keptIfFailed() == 0 && !ties.archived()) {
            removeAt = Ending.AT_ONCE;
        } else if (ties.keptIfFailed() != Ties.FOR_EVER) {
            removeAt = clock.instant().getEpochSecond() + 1 + ties.keptIfFailed();
        }
        return new Ending(AttemptEnd.FAILED, clock.millis(), error, null, removeAt, ties.archived());
    }

    private static String error(Release release) {
        String what = switch (release.cause()) {
            case SUCCEEDED -> "has succeeded";
            case FAILED -> "has failed";
            case CANCELLED -> "was cancelled";
            case REMOVED -> "was removed before it had succeeded";
        };
        return "Not run: " + release.dependency().keys().typeName() + "/"
                + release.dependency().id() + ", which it waited for, " + what + ".";
    }
}
