package dev.couchjobs.bridge.internal.work;

import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.document.WorkItem;
import dev.couchjobs.bridge.internal.transaction.WorkJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What came of a claim on a work item, as the item's job keeps it until its document says so.
 *
 * @param kind what is to become of the item
 * @param due when it is to be tried again, if it is, in milliseconds since 1970
 * @param reason why it did not succeed
 * @param generation of the claimed revision that it is about; 0 where that was not noted yet
 */
record WorkOutcome(Kind kind, long due, String reason, long generation) {
    /** What is to become of an item. */
    enum Kind {
        /** Nothing is known yet. */
        OPEN,
        /** The work is done, and the item is deleted. */
        DONE,
        /** It is tried again. */
        RETRY,
        /** It is given up. */
        FAIL
    }

    static final WorkOutcome OPEN = new WorkOutcome(Kind.OPEN, 0, "", 0);

    /** {@return what is kept with an item's job} */
    static CompletableFuture<WorkOutcome> kept(
            CouchJobs jobs, TransactionContext context, JobType<WorkJob, ?> type, String id) {
        return jobs.details()
                .lastCheckpoint(context, type, id)
                .thenApply(
                        last -> last.map(entry -> entry.as(WorkOutcome.class)).orElse(OPEN));
    }

    /** {@return what follows from an action for the item that it was done for} */
    static WorkOutcome of(ActionResult result, WorkItem item, WorkKind kind, Instant now) {
        if (result.success()) {
            return new WorkOutcome(Kind.DONE, 0, "", 0);
        }
        String reason = WorkItem.reason(result.reason().orElse("It has failed."), result.output());
        Optional<Duration> pause =
                result.isFinal() ? Optional.empty() : kind.retry().pauseAfter(item.attempts() + 1, Duration.ZERO);
        return pause.map(time -> again(item.retried(now.plus(longer(time, result.retryAfter())), reason)))
                .orElseGet(() -> failed(item, reason));
    }

    static WorkOutcome failed(WorkItem item, String reason) {
        return new WorkOutcome(Kind.FAIL, 0, item.failed(reason).reason().orElseThrow(), 0);
    }

    private static WorkOutcome again(WorkItem next) {
        return new WorkOutcome(
                Kind.RETRY, next.due().toEpochMilli(), next.reason().orElseThrow(), 0);
    }

    private static Duration longer(Duration pause, Optional<Duration> other) {
        return other.filter(least -> least.compareTo(pause) > 0).orElse(pause);
    }

    /** {@return the same, of the claim in a revision} */
    WorkOutcome of(long claimed) {
        return new WorkOutcome(kind, due, reason, claimed);
    }

    /** {@return whether there is something to be written that the work must not be done again for} */
    boolean isKept() {
        return kind != Kind.OPEN;
    }

    /** {@return the item as this makes it; empty if it is to be deleted} */
    Optional<WorkItem> of(WorkItem item) {
        return switch (kind) {
            case OPEN -> throw new IllegalStateException("There is nothing to write yet.");
            case DONE -> Optional.empty();
            case RETRY -> Optional.of(item.retried(Instant.ofEpochMilli(due), reason));
            case FAIL -> Optional.of(item.failed(reason));
        };
    }
}
